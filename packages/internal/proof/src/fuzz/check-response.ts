import { check } from './target.ts'

/** A response, and what was sent. */
export interface Exchange {
  readonly method: string
  /** The path below the base path. */
  readonly path: string
  readonly response: Response
  readonly text: string
}

const COOKIE =
  /^[!#$%&'*+.^_`|~\dA-Za-z-]+=[!#-+\--:<-[\]-~]*(?:; (?:Max-Age=\d+|Path=\/|HttpOnly|Secure|SameSite=Lax))*$/
/** Markup of `drawText`, if it is not escaped. */
const INJECTED = /<script>xss|<img\b|<b>xss|(?:href|action|src)="\s*javascript:/i

/**
 * Checks what holds for every response of the service.
 *
 * @param isPlanned Returns whether a status of 500 or more is what the case must lead to
 * @throws Error that names the broken invariant
 */
export function checkResponse(
  exchange: Exchange,
  isPlanned: (exchange: Exchange) => boolean = isErrorPage,
): void {
  const { method, path, response, text } = exchange
  const { status, headers } = response
  const at = `${method} ${path.slice(0, 200)} → ${status}`
  check(status < 500 || isPlanned(exchange), `status of 500 or more: ${at} ${text.slice(0, 300)}`)
  const isPublic = path.startsWith('jwks') && status === 200
  const cache = headers.get('cache-control')
  check(isPublic || cache === 'private, no-store', `cache-control: ${cache} of ${at}`)
  check(headers.get('x-content-type-options') === 'nosniff', `nosniff: ${at}`)
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('text/html')) checkPage(exchange, at)
  if (type.startsWith('application/json') && text !== '') checkJson(text, at)
  for (const line of headers.getSetCookie()) checkCookie(line, at)
  if (method !== 'HEAD') return
  check(text === '', `body of a HEAD: ${at}`)
  check(headers.getSetCookie().length === 0, `cookie of a HEAD: ${at}`)
}

/** The page `/error` shows errors of 500 and more. */
function isErrorPage({ path, method }: Exchange): boolean {
  return /^error\/?(?:\?|$)/.test(path) && ['GET', 'HEAD'].includes(method)
}

function checkPage({ response: { headers }, text }: Exchange, at: string): void {
  const policy = headers.get('content-security-policy') ?? ''
  check(policy.startsWith("default-src 'none'; style-src 'sha256-"), `policy: ${policy} of ${at}`)
  check(!policy.includes('unsafe'), `policy: ${policy} of ${at}`)
  check(policy.includes("frame-ancestors 'none'"), `frames: ${policy} of ${at}`)
  check(headers.get('referrer-policy') === 'same-origin', `referrer: ${at}`)
  const [injected] = INJECTED.exec(text) ?? /\son\w+=/i.exec(listTags(text)) ?? []
  check(injected === undefined, `markup: ${injected} in ${at}`)
  check(text.isWellFormed(), `half of a character: ${at}`)
}

/** Returns the tags of a page without the values of attributes, which are in double quotes. */
function listTags(html: string): string {
  return (html.match(/<[a-z](?:"[^"]*"|[^">])*>/g) ?? []).join('').replaceAll(/"[^"]*"/g, '""')
}

function checkJson(text: string, at: string): void {
  try {
    JSON.parse(text)
  } catch {
    check(false, `JSON: ${text.slice(0, 200)} of ${at}`)
  }
}

function checkCookie(line: string, at: string): void {
  check(COOKIE.test(line), `Set-Cookie: ${line.slice(0, 300)} of ${at}`)
  check(line.length <= 4096, `Set-Cookie of ${line.length} characters: ${at}`)
  for (const attribute of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']) {
    check(line.includes(`; ${attribute}`), `Set-Cookie without ${attribute}: ${at}`)
  }
  check(line.startsWith('__Host-'), `Set-Cookie without __Host-: ${line.slice(0, 99)}`)
}
