import { AuthError, ConfigurationError, parseServiceUrl, parseTrustHost } from '@latchkey/core'
import { createGetBaseUrl, isLoopback } from '../../../../core/src/http/base-url.ts'
import { readBody } from '../../../../core/src/http/body.ts'
import { CookieJar } from '../../../../core/src/http/cookie-jar.ts'
import { resolveCookieNames } from '../../../../core/src/http/cookie-names.ts'
import { createCookieSpecs, withCookieId } from '../../../../core/src/http/cookies.ts'
import { getHostScope } from '../../../../core/src/http/host-scope.ts'
import { readQuery } from '../../../../core/src/http/query.ts'
import { toAllowedUrl } from '../../../../core/src/http/return-url.ts'
import { clearCookie, setCookie, toSetCookieLines } from '../../../../core/src/http/set-cookie.ts'
import { resolveTrustedHosts } from '../../../../core/src/http/trusted-hosts.ts'
import { platformClock } from '../../../../core/src/lib/clock.ts'
import { matchRoute } from '../../../../core/src/routes.ts'
import type { Draw } from './draw.ts'
import { defineProperty, unlessRefused } from './property.ts'
import type { Property } from './property.ts'
import { check } from './target.ts'
import { drawJson, drawText } from './texts.ts'

const origin = 'https://app.example'
const names = resolveCookieNames(undefined, origin)
const life = { maxAge: 3600, isRevocable: true }
const routed = { basePath: '/api/auth', account: true, tokens: true, securityEmails: true }

/** Properties of what reads requests and writes headers. */
export const httpProperties: readonly Property[] = [
  defineProperty('return URL', drawText, async (value) => {
    const rules = { trustedOrigins: new Set(['https://www.app.example']), allow: undefined }
    const url = await toAllowedUrl(value, origin, rules)
    const isOwn = url === origin || url.startsWith(`${origin}/`)
    check(isOwn || url.startsWith('https://www.app.example/'), `return URL: ${url}`)
    check(/^[!-~]+$/.test(url) && !url.includes('\\'), `characters of a return URL: ${url}`)
    check((await toAllowedUrl(url, origin, rules)) === url, `return URL changes again: ${url}`)
  }),
  defineProperty('cookie header', drawText, (header) => {
    const jar = new CookieJar(header)
    for (const name of [...jar.all.keys(), '__proto__', 'toString', '', '.0']) {
      const value = jar.get(name)
      check(value === undefined || typeof value === 'string', `cookie ${name}`)
      check(
        jar.ids(name).every((id) => typeof id === 'string'),
        `ids of ${name}`,
      )
    }
    check(new CookieJar('a=b').get('toString') === undefined, 'an inherited cookie')
  }),
  defineProperty('Set-Cookie', drawCookie, checkRoundTrip),
  defineProperty('query', drawText, (text) => {
    for (const [name, value] of readQuery(`${origin}/x?${text}`)) {
      check(typeof name === 'string' && value.isWellFormed(), `query ${name}`)
    }
  }),
  defineProperty('route', drawText, (text) => {
    const match = matchRoute(routed, `${origin}/api/auth/${text}`)
    check(!match || match.rows.size > 0, 'a path without rows')
  }),
  defineProperty('body', drawBody, checkBody),
  defineProperty('base URL', drawHost, checkBaseUrl),
  defineProperty('serviceUrl', drawText, (text) => {
    const url = unlessRefused(() => parseServiceUrl(text), isConfigurationError)
    if (!url) return
    check(/^\/.*[^/]$/.test(url.basePath), `base path: ${url.basePath}`)
    check(URL.parse(url.origin ?? '')?.origin === url.origin, `origin: ${url.origin}`)
  }),
  defineProperty(
    'trustHost',
    (draw) => draw.list(3, drawText),
    (hosts) => {
      unlessRefused(() => parseTrustHost(hosts), isConfigurationError)
    },
  ),
  defineProperty('host scope', drawAddress, ({ bytes, form }) => {
    const url = URL.parse(`http://${toHost(bytes, form)}/`)
    check(url !== null, 'host')
    const isLocal = bytes[0] === 127 || bytes[0] === 10 || (bytes[0] === 192 && bytes[1] === 168)
    check(!isLocal || getHostScope(url) !== 'public', `scope of ${url.host}`)
  }),
]

interface Cookie {
  readonly lengths: readonly number[]
  readonly id: string | undefined
  readonly maxAge: number | undefined
}

function drawCookie(draw: Draw): Cookie {
  return {
    lengths: [draw.below(30_400), draw.below(30_400)],
    id: draw.once(2) ? draw.pick(['abcdefgh', '0', 'passport']) : undefined,
    maxAge: draw.once(2) ? draw.pick([1, 3600, 34_560_000]) : undefined,
  }
}

/** A browser that applies the lines has exactly the value, and nothing after it is deleted. */
function checkRoundTrip({ lengths, id, maxAge }: Cookie): void {
  const { session } = createCookieSpecs(names, true, life)
  const spec = id === undefined ? session : withCookieId(session, id)
  const jar = new Map<string, string>()
  const read = (): CookieJar => new CookieJar([...jar].map((pair) => pair.join('=')).join('; '))
  for (const length of lengths) {
    const value = 'A'.repeat(length) + (length % 7)
    store(jar, toSetCookieLines(read(), [setCookie(spec, value, maxAge)]))
    check(read().get(spec.name) === value, `round trip of ${value.length} characters`)
  }
  store(jar, toSetCookieLines(read(), [clearCookie(spec)]))
  check(jar.size === 0, `left: ${[...jar.keys()].join()}`)
}

function store(jar: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    check(line.length <= 4096, `Set-Cookie of ${line.length} characters`)
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/; Max-Age=0(?:;|$)/.test(line)) jar.delete(name)
    else jar.set(name, value)
  }
}

interface Posted {
  readonly type: string
  readonly text: string
}

function drawBody(draw: Draw): Posted {
  const types = [
    'application/x-www-form-urlencoded',
    'application/json',
    'APPLICATION/JSON; charset=utf-8',
  ]
  return {
    type: draw.once(4)
      ? draw.pick(['text/plain', 'application/json;;;', '', 'multipart/form-data'])
      : draw.pick(types),
    text: draw.any(
      drawText,
      (d) => JSON.stringify(drawJson(d, 3)),
      (d) =>
        d
          .list(
            8,
            (each) => `${each.pick(['csrfToken', 'email', '__proto__', 'a'])}=${drawText(each)}`,
          )
          .join('&'),
      (d) => '['.repeat(d.below(3000)),
      (d) => 'a=1&'.repeat(d.below(200)),
      (d) => 'x'.repeat(d.below(70_000)),
    ),
  }
}

async function checkBody({ type, text }: Posted): Promise<void> {
  const headers = type === '' ? undefined : { 'content-type': type }
  const request = new Request(`${origin}/`, {
    method: 'POST',
    body: text,
    ...(headers && { headers }),
  })
  const service = { timeouts: { request: 5 }, runtime: platformClock }
  const types = ['application/x-www-form-urlencoded', 'application/json'] as const
  const body = await readBody(service, request, types, ['email']).catch((thrown: unknown) => {
    const isRefusal = thrown instanceof AuthError && [400, 413, 415].includes(thrown.status)
    check(isRefusal, `body: ${String(thrown)}`)
  })
  if (!body) return
  check(body.fields.size <= 100, 'more than 100 fields')
  check(!JSON.stringify(body.data ?? null).includes('"__proto__"'), 'a member __proto__')
}

interface Host {
  readonly host: string
  readonly scheme: string
  readonly header: string | undefined
}

function drawHost(draw: Draw): Host {
  const hosts = [
    'localhost',
    '127.0.0.1',
    '[::1]',
    'localhost.evil',
    '127.1',
    'LOCALHOST',
    'localhost.',
    'app.example',
  ]
  return {
    host: draw.once(3) ? drawText(draw) : draw.pick(hosts),
    scheme: draw.pick(['http', 'https']),
    header: draw.once(2) ? drawText(draw) : undefined,
  }
}

const options = {
  serviceUrl: { origin: undefined, basePath: '/api/auth' },
  allowInsecure: false,
  cookieSpecs: (secure: boolean) => createCookieSpecs(names, secure, life),
}
const silent = { warn: () => undefined }
const getTrustedUrl = createGetBaseUrl({
  ...options,
  trustedHosts: resolveTrustedHosts(true, silent),
})
const getLocalUrl = createGetBaseUrl({
  ...options,
  trustedHosts: resolveTrustedHosts(false, silent),
})

function checkBaseUrl({ host, scheme, header }: Host): void {
  const request = createRequest(`${scheme}://${host}/api/auth/session`, header)
  if (!request) return
  const { origin: own, hostname, protocol } = new URL(request.url)
  const trusted = unlessRefused(() => getTrustedUrl(request), isRefusedHost)
  check(!trusted || trusted.origin === own, `origin: ${trusted?.origin}`)
  check(!trusted || protocol === 'https:' || isLoopback({ hostname }), `insecure: ${own}`)
  const local = unlessRefused(() => getLocalUrl(request), isRefusedHost)
  check(!local || isLoopback({ hostname }), `not loopback: ${own}`)
}

/** Returns undefined if the platform refuses the URL or the header. */
function createRequest(
  url: string,
  host: string | undefined,
): Pick<Request, 'url' | 'headers'> | undefined {
  return unlessRefused(
    () => ({ url: new Request(url).url, headers: new Headers(host === undefined ? {} : { host }) }),
    (thrown) => thrown instanceof TypeError,
  )
}

function isRefusedHost(thrown: unknown): boolean {
  return thrown instanceof AuthError && thrown.code === 'Configuration'
}

function isConfigurationError(thrown: unknown): boolean {
  return thrown instanceof ConfigurationError
}

interface Address {
  readonly bytes: readonly number[]
  readonly form: number
}

function drawAddress(draw: Draw): Address {
  const first = draw.pick([127, 10, 192, 8, 169, 172])
  const second = draw.pick([168, 0, 254, 16, 1])
  return { bytes: [first, second, draw.byte(), draw.byte()], form: draw.below(6) }
}

/** Spells an IPv4 address in one of the ways that `URL` reads. */
function toHost([a = 0, b = 0, c = 0, d = 0]: readonly number[], form: number): string {
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
  const forms = [
    `${a}.${b}.${c}.${d}`,
    String(number),
    `0x${number.toString(16)}`,
    `0${a.toString(8)}.${b}.${c * 256 + d}`,
    `[::ffff:${high}:${low}]`,
    `[64:ff9b::${high}:${low}]`,
  ]
  return forms[form] ?? ''
}
