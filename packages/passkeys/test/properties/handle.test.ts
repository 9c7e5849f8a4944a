/**
 * Two browsers use a service with every feature. They follow its pages, redirects and emails, and alter what they send.
 * Every response has a documented status and documented headers, leads nowhere else, and shows no text of an exception.
 */
import { Browser } from '@latchkey/testing/browser'
import * as fc from 'fast-check'
import { TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { json, numRuns, text, textEdit } from '../../../core/test/support/arbitraries.ts'
import { checkNoException, checkResponse } from '../../../core/test/support/check-response.ts'
import { asDocumented } from '../../../core/test/support/openapi.ts'
import { base, createService, origin, Person, Ports } from '../model/service.ts'

// prettier-ignore
const paths = fc.constantFrom(
  'signin', 'session', 'csrf', 'account', 'signout', 'providers', 'token', 'jwks', 'error',
  'verify-request', 'end-sessions', 'signin/passport', 'signin/members', 'signin/email',
  'signin/passwords', 'signin/passkey', 'signin/totp', 'signin/recovery', 'callback/passport',
  'callback/email', 'callback/passwords', 'callback/passkey', 'callback/members', 'callback/totp',
  'session/', 'Session', 'signin/%65mail', '', '__proto__', 'signin/__proto__', 'signin//email',
)
// prettier-ignore
const fieldNames = fc.constantFrom(
  'csrfToken', 'callbackUrl', 'json', 'link', 'redirect', 'token', 'code', 'state', 'iss', 'error',
  'error_description', 'id_token', 'user', 'resend', 'email', 'username', 'password', 'data', 'name',
  'image', 'login_hint', 'action', 'confirm', 'second', 'remember', 'id', 'credential',
  'changeEmail', 'signIn', 'automatic', 'factor', 'sure', '__proto__', 'x',
)
const headerValues: Readonly<Record<string, readonly string[]>> = {
  accept: ['text/html', 'application/json', '*/*', 'text/html;q=0', 'application/json, text/html'],
  'accept-language': ['de', 'ar', 'zh-Hans', 'xx', '*;q=0.1'],
  origin: ['https://app.example', 'https://www.app.example', 'null', 'https://evil.example'],
  'sec-fetch-site': ['same-origin', 'none', 'cross-site', 'same-site'],
  'sec-fetch-dest': ['document', 'empty', 'iframe'],
  'sec-purpose': ['prefetch', 'prefetch;prerender'],
  'access-control-request-method': ['GET', 'POST', 'PUT'],
  'content-type': ['application/json; charset=utf-8', 'text/plain', 'multipart/form-data'],
  host: ['app.example', 'evil.example'],
  'x-forwarded-host': ['evil.example'],
  'content-length': ['0', '99999999', '-1'],
  authorization: ['Basic dXNlcjpwYXNz', 'Bearer x'],
}
const header = fc
  .constantFrom(...Object.keys(headerValues))
  .chain((name) =>
    fc.tuple(fc.constant(name), fc.oneof(fc.constantFrom(...(headerValues[name] ?? [])), text)),
  )
// prettier-ignore
const addedCookies = fc.constantFrom(
  '__Host-latchkey.session', '__Host-latchkey.csrf', '__Host-latchkey.flow.abcdefgh',
  '__Host-latchkey.ended', '__Host-latchkey.known.email', '__Host-latchkey.session.0',
  '__Host-latchkey.second', '__Host-latchkey.remembered', '__proto__', '__Host-latchkey.flow.__proto__',
)
type Pairs = [string, string][]
const cookieEdit = fc.oneof(
  fc.nat(31).map(
    (at) =>
      (jar: Pairs): Pairs =>
        jar.toSpliced(at % Math.max(1, jar.length), 1),
  ),
  fc.tuple(addedCookies, text).map((added) => (jar: Pairs): Pairs => [...jar, added]),
  fc.tuple(fc.nat(31), textEdit).map(
    ([at, edit]) =>
      (jar: Pairs): Pairs =>
        jar.map(([name, value], i) => [name, i === at % jar.length ? edit(value) : value]),
  ),
)

/** A number is a value that fits the name of the field. */
const field = fc.tuple(fieldNames, fc.oneof(fc.nat(7), fc.nat(7), text))

/** A step follows the last page, redirect or email, or sends what it says to a path. */
const step = fc.record({
  kind: fc.constantFrom('form', 'open', 'form', 'follow', 'mail', 'link'),
  browser: fc.constantFrom(0, 0, 0, 0, 1),
  which: fc.nat(23),
  wait: fc.oneof(
    { weight: 7, arbitrary: fc.constant(0) },
    fc.constantFrom(1, 31, 700, 4000, 90_000),
  ),
  method: fc.constantFrom('GET', 'POST', 'GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'),
  path: paths,
  query: fc.array(field, { maxLength: 3 }),
  fields: fc.array(field, { maxLength: 5 }),
  odd: fc.option(
    fc.record({
      headers: fc.array(header, { maxLength: 4 }),
      cookies: fc.array(cookieEdit, { maxLength: 3 }),
      body: fc.option(
        fc.oneof(
          text,
          json.map((value) => JSON.stringify(value)),
        ),
      ),
    }),
    { freq: 2 },
  ),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const returnUrls = ['/deep', 'https://evil.example/x', `${origin}/a?b=c`]
/** Where pages and redirects may lead. */
const targets = [origin, 'https://passport.example', 'https://other.example']

/** A browser that does steps and checks what it gets. */
class Visitor {
  readonly #ports: Ports
  readonly #browser: Browser
  #html = ''
  #location: string | undefined
  #csrfToken = ''

  constructor(ports: Ports, browser: Browser) {
    this.#ports = ports
    this.#browser = browser
  }

  async do(given: Step): Promise<void> {
    this.#ports.time += given.wait * 1000
    const [method, url, fields] = this.#prepare(given)
    if (!url.startsWith(base)) return
    const hasBody = !['GET', 'HEAD'].includes(method)
    const { headers = [], cookies = [], body = null } = given.odd ?? {}
    const jar = cookies.reduce<Pairs>((all, edit) => edit(all), [...this.#browser.cookies])
    const sent = {
      method,
      headers: Object.fromEntries([
        ...(jar.length > 0 ? [['cookie', jar.map((pair) => pair.join('=')).join('; ')]] : []),
        ['accept', 'text/html'],
        ...headers,
      ]) as Record<string, string>,
      ...(hasBody && { body: body ?? new URLSearchParams(fields) }),
    }
    const lines = this.#ports.lines.length
    // The platform refuses some headers, as a server does.
    const response = await this.#browser.visit(url, sent).catch((thrown: unknown) => {
      if (thrown instanceof TypeError && /header|ByteString/i.test(thrown.message)) return undefined
      throw thrown
    })
    if (response) await this.#read(method, url, response)
    this.#checkLog(lines)
  }

  #prepare({ kind, which, method, path, query, fields }: Step): [string, string, Pairs] {
    const get = (url = ''): [string, string, Pairs] => ['GET', url, []]
    if (kind === 'follow') return get(this.#follow(which))
    if (kind === 'link') return get(pick(readLinks(this.#html), which))
    if (kind === 'mail') return get(pick(this.#listMailLinks(), which))
    const form = kind === 'form' ? pick(readForms(this.#html), which) : undefined
    if (kind === 'form' && !form) return get(`${base}/${which % 2 ? 'signin' : 'account'}`)
    const filled = form?.fields.map(([name, value]): Pairs[number] => {
      const given = fields.find(([each]) => each === name)?.[1]
      const fits = given === undefined && value !== '' ? value : this.#choose(name, given ?? which)
      return [name, fits]
    })
    if (form) return ['POST', form.action, filled ?? []]
    const choose = (pairs: Step['fields']): Pairs =>
      pairs.map(([key, value]) => [key, this.#choose(key, value)])
    const search = query.length > 0 ? `?${new URLSearchParams(choose(query))}` : ''
    return [method, `${base}/${path}${search}`, [['csrfToken', this.#csrfToken], ...choose(fields)]]
  }

  /** Follows the last redirect. An identity provider signs in one of the people. */
  #follow(which: number): string {
    const { searchParams } = new URL(this.#location ?? base)
    const callback = searchParams.get('redirect_uri')
    if (callback === null) return this.#location ?? `${base}/csrf`
    const code = pick([...this.#ports.codes.keys()], which) ?? ''
    return `${callback}?${new URLSearchParams({ code, state: searchParams.get('state') ?? '' })}`
  }

  #listMailLinks(): readonly string[] {
    return this.#ports.mails.flatMap((mail) => mail.text.match(/https:\/\/\S+/g) ?? []).toReversed()
  }

  /** Returns a text as it is, and for a number one of the values that fit the name of a field. */
  #choose(name: string, value: string | number): string {
    if (typeof value === 'string') return value
    const people = ['alice', 'bob', 'mallory']
    const [, secret] = /secret=([A-Z2-7]+)/.exec(this.#html) ?? []
    const timestamp = this.#ports.time
    const mailed = this.#ports.mails.flatMap((mail) => mail.text.match(/\b\d{4} ?\d{4}\b/g) ?? [])
    const fitting = new Map<string, readonly string[]>([
      ['csrfToken', [this.#csrfToken]],
      ['email', people.map((person) => `${person}@example.com`)],
      ['name', people],
      [
        'password',
        [...people.map((person) => `the member password of ${person}`), 'good words, four'],
      ],
      [
        'code',
        [...(secret ? [new TOTP({ secret }).generate({ timestamp })] : []), ...mailed, '00000000'],
      ],
      ['callbackUrl', returnUrls],
    ])
    return pick(fitting.get(name) ?? ['true', '1', 'alice'], value) ?? ''
  }

  async #read(method: string, url: string, response: Response): Promise<void> {
    const body = await response.text()
    checkResponse({ method, path: url.slice(base.length + 1), response, text: body })
    const location = response.headers.get('location')
    if (location !== null) expect(targets).toContain(new URL(location).origin)
    this.#location = location ?? this.#location
    const size = [...this.#browser.cookies].join('; ').length
    expect(size, 'the cookies of a browser (I-14)').toBeLessThan(12_000)
    const [, token] = /(?:name="csrfToken" value|"csrfToken":) ?=?"([^"]+)"/.exec(body) ?? []
    this.#csrfToken = token ?? this.#csrfToken
    if (!response.headers.get('content-type')?.startsWith('text/html')) return
    if (!url.startsWith(`${base}/error`)) checkNoException(body, location ?? '')
    this.#html = body
    // The page of an enrolment has a link that an authenticator app opens (I-53.2).
    const links = readLinks(body).filter((each) => !each.startsWith('otpauth://totp/'))
    for (const each of [...links, ...readForms(body).map(({ action }) => action)])
      expect(targets, each).toContain(new URL(each, base).origin)
  }

  #checkLog(from: number): void {
    // The hint of the last way is the id of a provider, and no secret.
    const held = [...this.#browser.cookies].filter(([name]) => !name.endsWith('latchkey.last'))
    const cookies = held.map(([, value]) => value)
    const links = this.#listMailLinks().map((url) => new URL(url).search)
    const secrets = [...cookies, ...links, 'the member password of alice'].filter(
      (each) => each.length >= 8,
    )
    for (const line of this.#ports.lines.slice(from))
      expect(
        secrets.filter((secret) => line.includes(secret)),
        line,
      ).toEqual([])
  }
}

function pick<T>(values: readonly T[], which: number): T | undefined {
  return values[which % Math.max(1, values.length)]
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
}

function decode(html: string): string {
  return html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '')
}

function readLinks(html: string): readonly string[] {
  return [...html.matchAll(/<a[^>]* href="([^"]*)"/g)].map(([, href = '']) => decode(href))
}

function readForms(html: string): readonly { readonly action: string; readonly fields: Pairs }[] {
  const forms = html.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)
  return [...forms].map(([, action = '', content = '']) => ({
    action: decode(action),
    fields: [...content.matchAll(/<(?:input|button)\b([^>]*)>/g)].flatMap(([, tag = '']): Pairs => {
      const [, name] = /\bname="([^"]*)"/.exec(tag) ?? []
      const [, value = ''] = /\bvalue="([^"]*)"/.exec(tag) ?? []
      return name === undefined ? [] : [[decode(name), decode(value)]]
    }),
  }))
}

test('any sequence of requests is answered as documented', async () => {
  const people = (['alice', 'bob', 'mallory'] as const).map((name) => new Person(name))
  const strategy = fc.constantFrom('stored' as const, 'revocable', 'cookie')
  const steps = fc.array(step, { maxLength: 16, size: 'max' })
  const property = fc.asyncProperty(strategy, steps, async (kept, chosen) => {
    const ports = new Ports()
    for (const person of people) ports.codes.set(person.name, person)
    const auth = createService(kept, ports, people, ['a secret of thirty-two bytes or more'])
    const handle = (request: Request): Promise<Response> =>
      auth.handle(request, { clientIp: () => '192.0.2.1' })
    const visitors = [0, 1].map(
      () => new Visitor(ports, new Browser(asDocumented(base, handle), base)),
    )
    for (const each of chosen) await visitors[each.browser]?.do(each)
  })
  // prettier-ignore
  const open: Step = {
    kind: 'open', browser: 0, which: 0, wait: 0, method: 'GET', path: 'csrf', query: [], fields: [], odd: null,
  }
  const signOut: Step = { ...open, method: 'POST', path: 'signout', fields: [['callbackUrl', 1]] }
  const fields: Step['fields'] = [['email', '"><script>xss()</script>']]
  const hostile: Step = { ...open, method: 'POST', path: 'signin/email', fields }
  const examples = [
    [open, signOut],
    [open, hostile],
  ].map((each): ['stored', Step[]] => ['stored', each])
  await fc.assert(property, { numRuns, examples })
})
