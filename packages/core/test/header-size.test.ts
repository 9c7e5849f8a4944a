import fc from 'fast-check'
import { encode } from 'next-auth/jwt'
import { describe, expect, test, vi } from 'vitest'
import { apiTokens } from '@latchkey/tokens'
import { confirmation } from '@latchkey/core/confirmation'
import { cookieAccessTokens } from '@latchkey/core/cookie-access-tokens'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import { rpInitiatedLogout } from '@latchkey/core/rp-initiated-logout'
import type { AuthConfig } from '@latchkey/core'
import type { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer } from '@latchkey/testing/issuer'
import { beginSignIn } from '@latchkey/testing/issuer-sign-in'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { getService } from '../src/kernel/auth-services.ts'
import { allRoutes as routes } from './support/all-routes.ts'
import { breakableStorage } from './support/breakable.ts'
import { Mailbox } from './support/mailbox.ts'
import { issuerOptions, client as registered, oidcConfig } from './support/identity-provider.ts'
import { origin, serve } from './support/service.ts'
import type { TestService } from './support/service.ts'

/** Bytes that a reply has at most besides the session, the logout hint and the return URL (I-14). */
const REST = 4096
/** Bytes of the largest reply that the scenarios below make: `proxy_buffer_size 16k` holds it (I-14). */
const LARGEST = 15_400
const DAY = 86_400

const trusted = 'https://other.app.example'
const nextAuthSecret = 'the NEXTAUTH_SECRET of the application'
const formerCookie = '__Secure-next-auth.session-token'
const long = (name: string): string => name.padEnd(64, '-')
const kinds = ['csrf', 'session', 'flow', 'return', 'ended', 'known', 'logout'] as const
const keys = [await generateTokenKey()]

interface Setup extends TestService<unknown> {
  readonly issuer: Issuer
  readonly mailbox: Mailbox
  /** The names of the cookies as sent. */
  readonly cookies: Readonly<Record<(typeof kinds)[number], string>>
}

/** Serves every way of signing in, with an ID Token and an access token of nearly the greatest lengths. */
function setUp(over: Partial<AuthConfig>, toName = (kind: string) => `latchkey.${kind}`): Setup {
  const start = Date.now()
  let skipped = 0
  const now = (): number => start + skipped * 1000
  const issuer = createIssuer({
    ...issuerOptions,
    ...registered,
    now,
    metadata: { end_session_endpoint: `${issuerOptions.issuer}/logout` },
    idToken: { extra: 'x'.repeat(1400), at_hash: undefined },
    userClaimsIn: 'id_token',
    tokenMembers: { access_token: 'a'.repeat(8000) },
  })
  const mailbox = new Mailbox()
  const byPassword = credentials({
    id: 'password',
    fields: { username: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
    authorize: () => ({ id: 'alice' }),
  })
  const byEmail = email({ mailer: mailbox, from: 'sign-in@app.example', code: true })
  const providers = [
    oidc({ ...oidcConfig, logout: rpInitiatedLogout(), confirm: 'trust' }),
    byPassword,
  ]
  const service = serve({
    providers: over.storage ? [...providers, byEmail] : providers,
    runtime: { fetch: issuer.fetch, now },
    trustedOrigins: [trusted],
    use: [confirmation(), apiTokens({ audience: 'https://api.example', keys })],
    limits: { mailsPerAddress: false, mailsPerClient: false, credentialsPerName: false },
    cookies: Object.fromEntries(kinds.map((kind) => [kind, { name: toName(kind) }])),
    ...over,
    session: {
      importFrom: [
        nextAuthV4({ secret: nextAuthSecret, until: new Date(Date.now() + 999 * DAY * 1000) }),
      ],
      ...over.session,
    },
  })
  const toSent = (kind: string): readonly [string, string] => [kind, `__Host-${toName(kind)}`]
  const cookies = Object.fromEntries(kinds.map(toSent)) as Setup['cookies']
  const wait = (seconds: number): void => {
    skipped += seconds
  }
  return { ...service, wait, issuer, mailbox, cookies }
}

/** Makes a session cookie of nearly 11,500 bytes. */
const withGroups = (length: number): Partial<AuthConfig> => ({
  callbacks: { jwt: ({ token }) => ({ ...token, groups: 'g'.repeat(length) }) },
})

const configurations: readonly [string, () => Setup][] = [
  ['access tokens in cookies', () => setUp({ session: { accessTokens: cookieAccessTokens() } })],
  ['a page for new users', () => setUp({ pages: { newUser: '/welcome' } })],
  ['a storage', () => setUp({ storage: memoryStorage() })],
  ['the longest session', () => setUp(withGroups(8100))],
  ['the longest session and long names', () => setUp(withGroups(7980), long)],
]

/** Prepares a request with `callbackUrl`, in a separate browser. */
type Scenario = (
  setup: Setup,
  browser: Browser,
  callbackUrl: string,
) => Promise<() => Promise<Response>>

/** Begins a sign-in, and again without the return URL if that has no room beside the longest session. */
const signIn = async (
  { issuer }: Setup,
  browser: Browser,
  callbackUrl: string,
): Promise<string> => {
  const begun = await beginSignIn(browser, { fields: { callbackUrl } })
  return issuer.authorize(begun.origin === origin ? await beginSignIn(browser) : begun).href
}

/** Returns a function that posts a form with the CSRF token. */
async function prepare(
  browser: Browser,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<() => Promise<Response>> {
  const csrfToken = await browser.csrfToken()
  return () => browser.post(path, { csrfToken, ...fields }, { headers })
}

const isCookieSetup = ({ auth }: Setup): boolean => !getService(auth, 'test').storage
const hint = `login_hint=${'h'.repeat(1000)}`

const scenarios: Readonly<Record<string, Scenario>> = {
  'the beginning of a sign-in': (_, browser, callbackUrl) =>
    prepare(browser, `/signin/op?${hint}`, { callbackUrl }),
  'the beginning of a sign-in on a trusted origin': (_, browser, callbackUrl) =>
    prepare(browser, `/signin/op?${hint}`, { callbackUrl }, { origin: trusted }),
  'a sign-in': async (setup, browser, callbackUrl) => {
    const url = await signIn(setup, browser, callbackUrl)
    return () => browser.visit(url)
  },
  'a sign-in in place of another': async (setup, browser, callbackUrl) => {
    await browser.visit(await signIn(setup, browser, callbackUrl))
    const url = await signIn(setup, browser, callbackUrl)
    return () => browser.visit(url)
  },
  'a confirmation': async (setup, browser, callbackUrl) => {
    await browser.visit(await signIn(setup, browser, origin))
    const begin = (to: string): Promise<URL> =>
      beginSignIn(browser, { fields: { callbackUrl: to, confirm: 'true' } })
    const began = await begin(callbackUrl)
    // Beside the longest session a long return URL finds no room, and the confirmation does not begin.
    const request = began.origin === origin ? await begin(origin) : began
    const url = setup.issuer.authorize(request).href
    return () => browser.visit(url)
  },
  'a posted callback': async (setup, browser, callbackUrl) => {
    const url = new URL(await signIn(setup, browser, callbackUrl))
    const fields = { ...Object.fromEntries(url.searchParams), user: 'u'.repeat(2000) }
    return () => browser.post(url.origin + url.pathname, fields)
  },
  'the GET after a posted callback': async (setup, browser, callbackUrl) => {
    const { href, searchParams } = new URL(await signIn(setup, browser, callbackUrl))
    const [url = ''] = href.split('?')
    const posted = await browser.post(url, Object.fromEntries(searchParams))
    return () => browser.visit(posted.headers.get('location') ?? '')
  },
  'a refused callback': async (_, browser, callbackUrl) => {
    const url = `/callback/op?error=access_denied&callbackUrl=${encodeURIComponent(callbackUrl)}`
    return () => browser.visit(url)
  },
  'a sign-in by a password': (_, browser, callbackUrl) =>
    prepare(browser, '/callback/password', { username: 'alice', password: 'x', callbackUrl }),
  'the sign-in page of a browser with a next-auth session': async (_, browser, callbackUrl) => {
    await importable(browser)
    return () => browser.visit(`/signin?callbackUrl=${encodeURIComponent(callbackUrl)}`)
  },
  'the beginning of a sign-in with a next-auth session': async (_, browser, callbackUrl) => {
    await importable(browser)
    return prepare(browser, `/signin/op?${hint}`, { callbackUrl })
  },
  'the session of a browser with a next-auth session': async (_, browser) => {
    await importable(browser)
    return () => browser.visit('/session', { headers: { origin: trusted } })
  },
  'a renewal': async (setup, browser, callbackUrl) => {
    await browser.visit(await signIn(setup, browser, callbackUrl))
    setup.wait(2 * DAY)
    return () => browser.visit('/session', { headers: { origin: trusted } })
  },
  'a sign-out': async (setup, browser, callbackUrl) => {
    await browser.visit(await signIn(setup, browser, callbackUrl))
    return prepare(browser, '/signout', { callbackUrl })
  },
  'a logout at the provider': async (setup, browser, callbackUrl) => {
    await browser.visit(await signIn(setup, browser, callbackUrl))
    const ended = await browser.submit('/signout', { callbackUrl })
    return () => browser.visit(ended.headers.get('location') ?? '')
  },
  'an email': async (setup, browser, callbackUrl) => {
    if (isCookieSetup(setup)) return () => browser.visit('/verify-request')
    return prepare(browser, '/signin/email', { email: toAddress(), callbackUrl })
  },
  'a sign-in by email': async (setup, browser, callbackUrl) => {
    if (isCookieSetup(setup)) return () => browser.visit('/signout')
    await browser.submit('/signin/email', { email: toAddress(), callbackUrl })
    const link = setup.mailbox.getLink().href
    return () => browser.visit(link)
  },
}

let addresses = 0
const toAddress = (): string =>
  `${'a'.repeat(60)}${addresses++}@${`${'b'.repeat(60)}.`.repeat(2)}example`

async function importable(browser: Browser): Promise<void> {
  const token = { sub: 'password:alice', groups: 'n'.repeat(6000) }
  const value = await encode({ token, secret: nextAuthSecret, maxAge: DAY })
  const parts = value.match(/.{1,3900}/g) ?? []
  for (const [i, part] of parts.entries()) browser.cookies.set(`${formerCookie}.${i}`, part)
}

/** The sizes of a reply's headers, in bytes. */
interface Sizes {
  readonly total: number
  /** Without the session and the logout hint. */
  readonly rest: number
  readonly deletions: number
}

/** Measures the headers of a reply as Node sends them over HTTP/1.1, its own included. */
function measure({ headers }: Response, { cookies }: Setup): Sizes {
  const sum = (lines: readonly string[]): number =>
    lines.reduce((size, line) => size + Buffer.byteLength(line) + '\r\n'.length, 0)
  const own = [
    'HTTP/1.1 302 Found',
    'date: Thu, 01 Jan 1970 00:00:00 GMT',
    'connection: keep-alive',
  ]
  const ofServer = [...own, 'keep-alive: timeout=5', 'transfer-encoding: chunked', '']
  const total = sum([...ofServer, ...[...headers].map((header) => header.join(': '))])
  const lines = headers.getSetCookie()
  const deleted = lines.filter((line) => line.includes('; Max-Age=0;'))
  const isLarge = (line: string): boolean =>
    line.startsWith(cookies.session) || line.startsWith(cookies.logout)
  const large = lines.filter((line) => isLarge(line) && !deleted.includes(line))
  const idToken = URL.parse(headers.get('location') ?? '')?.searchParams.get('id_token_hint') ?? ''
  const rest = total - sum(large.map((line) => `set-cookie: ${line}`)) - idToken.length
  return { total, rest, deletions: deleted.length }
}

/** Cookies that anything can have planted, by kind, and whether they are older than the browser's own. */
const planted = fc.record({
  flows: fc.nat(300),
  genuine: fc.boolean(),
  kinds: fc.array(fc.constantFrom(...kinds), { maxLength: 7 }),
  parts: fc.array(fc.nat(9), { maxLength: 10 }),
  formerParts: fc.array(fc.nat(999), { maxLength: 40 }),
  longIds: fc.nat(3),
  areOlder: fc.boolean(),
})
type Planted = typeof planted extends fc.Arbitrary<infer T> ? T : never

/** Everything simultaneously: what makes the largest reply. */
const most: Planted = {
  flows: 300,
  genuine: true,
  kinds: kinds.filter((kind) => kind !== 'session'),
  parts: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  formerParts: Array.from({ length: 40 }, (_, i) => i),
  longIds: 3,
  areOlder: false,
}

function plant({ cookies: sent }: Setup, { cookies }: Browser, given: Planted): void {
  const flow = [...cookies].find(([name]) => name.startsWith(`${sent.flow}.`))?.[1] ?? 'x'
  const ended = Array.from({ length: 8 }, (_, i) => `${i}`.repeat(43)).join('.')
  const flows = [...cookies.keys()].filter((name) => name.startsWith(`${sent.flow}.`))
  const stems = { flow: flows, return: [`${sent.return}.form`], known: [`${sent.known}.password`] }
  const toStems = (kind: (typeof kinds)[number]): readonly string[] =>
    kind in stems ? stems[kind as keyof typeof stems] : [sent[kind]]
  const added: [string, string][] = [
    ...Array.from({ length: given.flows }, (_, i): [string, string] => [
      `${sent.flow}.p${i}`,
      given.genuine ? flow : 'x',
    ]),
    ...given.kinds
      .flatMap(toStems)
      .flatMap((stem) => given.parts.map((part): [string, string] => [`${stem}.${part}`, 'x'])),
    ...given.formerParts.map((part): [string, string] => [`${formerCookie}.${part}`, 'x']),
    ...Array.from({ length: given.longIds }, (_, i): [string, string] => [
      `${sent.flow}.${`${i}`.repeat(3000)}`,
      'x',
    ]),
    ...(given.kinds.includes('ended') ? [[sent.ended, ended] as [string, string]] : []),
  ]
  const own = [...cookies]
  cookies.clear()
  const missing = added.filter(([name]) => !own.some(([held]) => held === name))
  for (const [name, value] of given.areOlder ? [...missing, ...own] : [...own, ...missing]) {
    cookies.set(name, value)
  }
}

interface Measured {
  readonly response: Response
  readonly sizes: Sizes
  /** Bytes of the service's cookies in the browser after the reply, without a posted callback's. */
  readonly held: number
  /** Flow cookies that were opened. */
  readonly opened: number
}

function measureHeld({ cookies: held }: Browser, { cookies }: Setup): number {
  const own = [...held].filter(([name]) =>
    kinds.some((kind) => kind !== 'return' && name.startsWith(cookies[kind])),
  )
  return own.reduce((sum, [name, value]) => sum + `${name}=${value}; `.length, 0)
}

/** Runs a scenario in a new browser with planted cookies, and counts the flow cookies that are opened. */
async function run(
  setup: Setup,
  scenario: Scenario,
  callbackUrl: string,
  given?: Planted,
): Promise<Measured> {
  const browser = setup.browse()
  const send = await scenario(setup, browser, callbackUrl)
  if (given) plant(setup, browser, given)
  const open = vi.spyOn(getService(setup.auth, 'test').keys.flow, 'open')
  try {
    const response = await send()
    const held = measureHeld(browser, setup)
    return { response, sizes: measure(response, setup), held, opened: open.mock.calls.length }
  } finally {
    open.mockRestore()
  }
}

/** Of the greatest length, and three times as long inside of another URL. */
const longest = `${origin}/${'&'.repeat(2048 - origin.length - 1)}`

describe.each(configurations)('the headers of a reply are bounded, with %s (I-14)', (_, create) => {
  test.each(Object.entries(scenarios))('%s, whatever cookies it has', async (name, scenario) => {
    const setup = create()
    const { response, held } = await run(setup, scenario, origin)
    expect(response.status).toBeLessThan(400)
    expect(held).toBeLessThanOrEqual(name.startsWith('the beginning') ? 13_600 : 12_000)
    const isRefused = (response.headers.get('location') ?? '').includes('error=')
    expect(isRefused).toBe(name === 'a refused callback')
    const check = async (callbackUrl: string, given: Planted): Promise<void> => {
      const { sizes, opened } = await run(setup, scenario, callbackUrl, given)
      expect(sizes.deletions).toBeLessThanOrEqual(10)
      expect(opened).toBeLessThanOrEqual(20)
      expect(sizes.total).toBeLessThanOrEqual(LARGEST)
      if (callbackUrl === origin) expect(sizes.rest).toBeLessThanOrEqual(REST)
    }
    const property = fc.asyncProperty(fc.constantFrom(origin, longest), planted, check)
    await fc.assert(property, {
      numRuns: 4,
      examples: [
        [origin, most],
        [longest, most],
      ],
    })
  })

  test('on every route, by any request', async () => {
    const setup = create()
    // Characters that are in URLs of RFC 3986, with which openapi.json compares `Location`.
    const unit = fc.constantFrom(...'ab&=/?+~.:@'.split(''))
    const random = fc.string({ unit, maxLength: 3000 })
    const text = fc.oneof(random, fc.constant(longest), fc.constant('true'))
    const fields = [
      'callbackUrl',
      'error',
      'login_hint',
      'prompt',
      'state',
      'return',
      'code',
      'json',
      'link',
      'email',
      'username',
      'password',
      'resend',
      'token',
    ]
    const request = fc.record({
      route: fc.constantFrom(...routes.map(({ path }) => path)),
      provider: fc.constantFrom('op', 'password', 'email', 'p'.repeat(3000)),
      method: fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE'),
      query: fc.dictionary(fc.constantFrom(...fields), text, { maxKeys: 5 }),
      body: fc.dictionary(fc.constantFrom(...fields), text, { maxKeys: 5 }),
      hasToken: fc.boolean(),
      headers: fc.dictionary(
        fc.constantFrom(
          'origin',
          'accept',
          'accept-language',
          'x-forwarded-host',
          'sec-fetch-site',
          'access-control-request-method',
        ),
        fc.constantFrom(
          trusted,
          origin,
          'text/html',
          'application/json',
          'de',
          'x'.repeat(3000),
          'same-site',
          'POST',
        ),
      ),
    })
    await fc.assert(
      fc.asyncProperty(request, planted, fc.boolean(), async (given, cookies, isSignedIn) => {
        const browser = setup.browse()
        if (isSignedIn) await browser.visit(await signIn(setup, browser, origin))
        const csrfToken = given.hasToken ? { csrfToken: await browser.csrfToken() } : {}
        plant(setup, browser, cookies)
        const path = given.route.replace(':provider', given.provider)
        const body = new URLSearchParams({ ...csrfToken, ...given.body })
        const response = await browser.visit(`${path}?${new URLSearchParams(given.query)}`, {
          method: given.method,
          headers: given.headers,
          ...(given.method === 'POST' && { body }),
        })
        const { total, deletions } = measure(response, setup)
        expect(deletions).toBeLessThanOrEqual(10)
        expect(total).toBeLessThanOrEqual(LARGEST)
      }),
      { numRuns: 100 },
    )
  })
})

test('the largest reply is measured (I-14)', async () => {
  const measured: number[] = []
  for (const [, create] of configurations) {
    const setup = create()
    for (const scenario of Object.values(scenarios)) {
      for (const length of [300, 1900]) {
        const callbackUrl = `${origin}/${'a'.repeat(length)}`
        for (const kept of [kinds, kinds.filter((kind) => kind !== 'session')]) {
          const { sizes } = await run(setup, scenario, callbackUrl, { ...most, kinds: [...kept] })
          measured.push(sizes.total)
        }
      }
    }
  }
  const largest = Math.max(...measured)
  expect(largest).toBeGreaterThan(LARGEST - 500)
  expect(largest).toBeLessThanOrEqual(LARGEST)
})

describe('what a long session leaves no room for (I-14)', () => {
  const [withTokens] = configurations.map(([, create]) => create)
  const short = (): Setup => setUp({})

  test.each([
    ['a short', short, true],
    ['a long', withTokens ?? short, false],
  ])('the ID Token is kept beside %s session, or the provider asks', async (_, create, isKept) => {
    const { response } = await run(
      create(),
      scenarios['a logout at the provider'] as Scenario,
      origin,
    )
    const url = new URL(response.headers.get('location') ?? '')
    expect(url.origin + url.pathname).toBe(`${issuerOptions.issuer}/logout`)
    expect(url.searchParams.has('id_token_hint')).toBe(isKept)
  })

  test.each([
    ['a short', short, true],
    ['the longest', () => setUp(withGroups(8100)), false],
  ])(
    'a long return URL is kept beside %s session, or leads to the origin',
    async (_, create, isKept) => {
      const { response } = await run(create(), scenarios['a sign-in'] as Scenario, longest)
      expect(response.headers.get('location')).toBe(isKept ? longest : origin)
    },
  )

  test.each([
    ['a short', 'op', origin, true],
    ['a long', 'op', longest, false],
    ['a short return URL and a long authorization', `op?${hint}`, origin, false],
  ])(
    'a next-auth session is imported beside %s URL, or by the next reply',
    async (_, provider, url, isNow) => {
      const { storage, fail } = breakableStorage()
      const profile = { name: null, email: null, emailVerified: false, image: null }
      await storage.createUser({ ...profile, id: 'password:alice' })
      const setup = setUp({ storage })
      const browser = setup.browse()
      const holds = (prefix: string): boolean =>
        [...browser.cookies.keys()].some((name) => name.startsWith(prefix))
      await importable(browser)
      // The session is not stored with the CSRF token, but with the form.
      fail(['createSession'])
      const begin = await prepare(browser, `/signin/${provider}`, { callbackUrl: url })
      expect([holds(setup.cookies.session), holds(formerCookie)]).toEqual([false, true])
      fail([])
      expect((await begin()).status).toBe(302)
      expect([holds(setup.cookies.session), holds(formerCookie)]).toEqual([isNow, !isNow])
      expect(await browser.json('/session')).toMatchObject({ user: { id: 'password:alice' } })
      expect([holds(setup.cookies.session), holds(formerCookie)]).toEqual([true, false])
    },
  )

  test('the ID Token is kept up to the length at which the cookies would be too long', async () => {
    const kept = new Set<boolean>()
    for (let length = 3000; length <= 8100; length += 300) {
      const setup = setUp(withGroups(length))
      const { held } = await run(setup, scenarios['a sign-in'] as Scenario, origin)
      expect(held).toBeLessThanOrEqual(12_000)
      const { response } = await run(
        setup,
        scenarios['a logout at the provider'] as Scenario,
        origin,
      )
      const { searchParams } = new URL(response.headers.get('location') ?? '')
      kept.add(searchParams.has('id_token_hint'))
    }
    expect([...kept]).toEqual([true, false])
  })
})
