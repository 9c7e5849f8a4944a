import type { Draw } from './draw.ts'
import { drawJson, drawText, drawTextEdit } from './texts.ts'
import type { TextEdit } from './texts.ts'

/** What is done with the cookies of one request. */
export interface CookieEdit {
  readonly how: 'drop' | 'alter' | 'double' | 'swap' | 'add'
  readonly at: number
  readonly edit: TextEdit
}

/** One request, and what it is made from. */
export interface Step {
  /**
   * `form`, `link` and `follow` use the last page or redirect of the browser; `mail` opens the link of an email; `passkey`
   * asks for a ceremony and answers it; `open` sends what the step says.
   */
  readonly kind: 'open' | 'form' | 'link' | 'follow' | 'mail' | 'passkey'
  readonly browser: 0 | 1
  /** Which form, link, email or authenticator. */
  readonly which: number
  readonly wait: number
  readonly method: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  /** Values of fields; a number is one that fits the name of the field. */
  readonly fields: readonly (readonly [string, string | number])[]
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly CookieEdit[]
  readonly isJson: boolean
  /** The body, instead of the fields. */
  readonly raw?: string
  /** How the answer of an authenticator is altered. */
  readonly edit?: TextEdit
}

// prettier-ignore
const paths = [
  'signin', 'session', 'csrf', 'account', 'signout', 'providers', 'token', 'jwks', 'error',
  'verify-request', 'end-sessions', 'signin/passport', 'signin/op', 'signin/forge',
  'signin/credentials', 'signin/email', 'signin/passwords', 'signin/passkey', 'signin/totp',
  'signin/recovery-codes', 'callback/passport', 'callback/op', 'callback/email',
  'callback/passwords', 'callback/passkey', 'callback/credentials', 'callback/totp', 'session/',
  'Session', 'signin/%65mail', '', '__proto__', 'signin/__proto__', 'signin//email',
] as const

// prettier-ignore
const fieldNames = [
  'csrfToken', 'callbackUrl', 'json', 'link', 'redirect', 'token', 'code', 'state', 'iss',
  'error', 'error_description', 'id_token', 'user', 'resend', 'email', 'username', 'password',
  'data', 'name', 'image', 'login_hint', 'action', 'confirm', 'second', 'remember', 'id',
  'credential', 'changeEmail', 'signIn', 'automatic', 'factor', 'sure', '__proto__', 'x',
] as const

/** Queries that pages and clients send. */
const queries: readonly (readonly (readonly [string, string])[])[] = [
  [],
  [['action', 'create']],
  [['confirm', 'true']],
  [['second', 'true']],
  [['link', 'true']],
  [['callbackUrl', '/deep?a=1']],
]

const headerValues: Readonly<Record<string, readonly string[]>> = {
  accept: ['text/html', 'application/json', '*/*', 'text/html;q=0', 'application/json, text/html'],
  'accept-language': ['de', 'ar', 'zh-Hans', 'xx', '*;q=0.1'],
  origin: ['https://app.example', 'https://www.app.example', 'null', 'https://evil.example'],
  'sec-fetch-site': ['same-origin', 'none', 'cross-site', 'same-site'],
  'sec-fetch-dest': ['document', 'empty', 'iframe'],
  'sec-fetch-mode': ['navigate', 'cors'],
  'sec-purpose': ['prefetch', 'prefetch;prerender'],
  'x-auth-return-redirect': ['1'],
  'access-control-request-method': ['GET', 'POST', 'PUT'],
  'content-type': [
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-8',
    'text/plain',
    'multipart/form-data; boundary=x',
  ],
  host: ['app.example', 'evil.example'],
  'x-forwarded-host': ['evil.example'],
  'user-agent': ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  'content-length': ['0', '99999999', '-1'],
  authorization: ['Basic dXNlcjpwYXNz', 'Bearer x'],
}

/** Draws the steps of a case. */
export function drawSteps(draw: Draw): readonly Step[] {
  return draw.list(16, drawStep)
}

function drawStep(draw: Draw): Step {
  const kind = draw.pick(['form', 'open', 'form', 'follow', 'mail', 'link', 'passkey'] as const)
  const isOdd = draw.once(4)
  const raw =
    isOdd && draw.once(4) ? draw.any(drawText, (d) => JSON.stringify(drawJson(d))) : undefined
  return {
    kind,
    browser: draw.once(6) ? 1 : 0,
    which: draw.below(24),
    wait: draw.once(8) ? draw.pick([1, 31, 700, 4000, 90_000, 2_700_000]) : 0,
    method: kind === 'open' ? draw.pick(methods) : 'GET',
    path: kind === 'open' ? draw.pick(paths) : '',
    query: kind !== 'open' ? [] : draw.once(2) ? drawPairs(draw) : draw.pick(queries),
    fields: draw.list(5, (d) => [d.pick(fieldNames), d.once(3) ? drawText(d) : d.below(8)]),
    headers: Object.fromEntries(isOdd ? draw.list(4, drawHeader) : []),
    cookies: isOdd ? draw.list(3, drawCookieEdit) : [],
    isJson: draw.once(5),
    ...(raw !== undefined && { raw }),
    ...(isOdd && kind === 'passkey' && { edit: drawTextEdit(draw) }),
  }
}

const methods = ['GET', 'POST', 'GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'] as const

function drawPairs(draw: Draw): [string, string][] {
  return draw.list(4, (d) => [d.pick(fieldNames), drawText(d)])
}

function drawHeader(draw: Draw): [string, string] {
  const name = draw.pick(Object.keys(headerValues))
  return [name, draw.once(4) ? drawText(draw) : draw.pick(headerValues[name] ?? [''])]
}

function drawCookieEdit(draw: Draw): CookieEdit {
  return {
    how: draw.pick(['drop', 'alter', 'double', 'swap', 'add'] as const),
    at: draw.below(32),
    edit: drawTextEdit(draw),
  }
}
