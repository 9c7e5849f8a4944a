import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/testing/browser'
import { createTestClock } from '@latchkey/testing/clock'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer } from '@latchkey/testing/issuer'
import { faults, hostileClaims, validVariations } from '@latchkey/testing/issuer-faults'
import type { Fault } from '@latchkey/testing/issuer-faults'
import { beginSignIn, signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { base, getFlowCookies, getRedirect, origin, serve } from './support/service.ts'
import type { LogLine, TestService } from './support/service.ts'

const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }

/** The clock of all services and issuers. It stands still, unless a fault takes time. */
const clock = createTestClock()
const timing = { now: clock.runtime.now, advance: clock.advance }

/** One issuer for all rows, because RSA keys are slow to generate. Each row has its own service. */
const issuer = createIssuer({ ...client, ...timing })

interface Setup {
  readonly service: TestService<unknown>
  readonly browser: Browser
  /** The `Location` and the body of each response that the browser received. */
  readonly replies: string[]
}

function setUp(from: Issuer = issuer): Setup {
  const service = serve({
    providers: [oidc({ id: 'op', name: 'The provider', issuer: from.issuer, ...client })],
    runtime: { ...clock.runtime, fetch: from.fetch },
  })
  const browser = service.browse()
  return { service, browser, replies: recordReplies(browser) }
}

function recordReplies(browser: Browser): string[] {
  const replies: string[] = []
  const visit = browser.visit.bind(browser)
  browser.visit = async (...args) => {
    const response = await visit(...args)
    replies.push(response.headers.get('location') ?? '', await response.clone().text())
    return response
  }
  return replies
}

/** Returns whether the callback has the state of the flow, so that its cookie is deleted. */
function hasState(callback: URL, request: URL): boolean {
  const states = callback.searchParams.getAll('state')
  return states.length === 1 && states[0] === request.searchParams.get('state')
}

async function expectNoSession({ browser, service, replies }: Setup): Promise<void> {
  expect(await browser.json('/session')).toEqual({})
  expectNoLeak(service.lines, replies)
}

/** Expects no secret in the log, and nothing of the log in a reply. */
function expectNoLeak(lines: readonly LogLine[], replies: readonly string[]): void {
  const log = JSON.stringify(lines)
  const leaked = [...issuer.secrets].filter((secret) => log.includes(secret))
  expect(leaked, log).toEqual([])
  expect(log).not.toContain('eyJ')
  const replied = replies.join('\n')
  for (const { message, details } of lines) {
    expect(details.provider).toBe('op')
    for (const text of [message, ...(details.causes ?? [])]) expect(replied).not.toContain(text)
  }
  expect(replied).not.toMatch(/oauth4webapi|SyntaxError|TypeError|OAUTH_|node_modules|\bat \w+ \(/)
}

/** Expects a redirect to the sign-in page, with an error code of the fault (I-7, I-8). */
async function expectError(browser: Browser, response: Response, fault: Fault): Promise<void> {
  expect(response.status).toBe(302)
  const location = new URL(response.headers.get('location') as string)
  expect(location.origin).toBe(origin)
  const { path, error } = getRedirect(response)
  expect(path).toBe('/api/auth/signin')
  expect(fault.codes).toContain(error)
  const page = await browser.visit(location.href)
  expect(page.status).toBe(200)
  expect(await page.text()).toMatch(/role="(alert|status)"/)
}

async function expectSignIn({ browser }: Setup): Promise<void> {
  issuer.vary()
  const response = await signInAtIssuer(browser, issuer)
  expect(response.headers.get('location')).toBe(origin)
  expect(await browser.json('/session')).toMatchObject({
    user: { id: 'op:alice', name: 'Person alice', email: 'alice@issuer.example' },
  })
}

beforeEach(() => issuer.vary())
afterEach(() => {
  // The service sends requests to the issuer only.
  const foreign = issuer.requests.filter(({ url }) => new URL(url).origin !== issuer.issuer)
  expect(foreign.map(({ url }) => url)).toEqual([])
})

const groups = [...new Set(faults.map((fault) => fault.group))]

describe.each(groups)('a hostile issuer: %s (I-23 to I-26)', (group) => {
  const rows = faults.filter((fault) => fault.group === group)

  test.each(rows)('$name: is refused', async (fault) => {
    const setup = setUp()
    const { browser } = setup
    issuer.vary(fault)
    const started = await browser.submit('/signin/op', { callbackUrl: '/deep' })
    const request = new URL(started.headers.get('location') as string)
    if (request.origin === origin) {
      expect(fault.codes).toContain('OAuthSignin')
      expect(getFlowCookies(browser)).toEqual([])
      await expectError(browser, started, fault)
      return expectNoSession(setup)
    }
    expect(fault.codes).not.toEqual(['OAuthSignin'])
    expect(request.href).toMatch(/^https:\/\/issuer\.example\/authorize\?/)
    const callback = issuer.authorize(request)
    await expectError(browser, await browser.visit(callback.href), fault)
    await expectNoSession(setup)
    if (hasState(callback, request)) expect(getFlowCookies(browser)).toEqual([])
  })

  test.each(rows)('$name: does not affect the next sign-in', async (fault) => {
    const setup = setUp()
    issuer.vary(fault)
    const started = await setup.browser.submit('/signin/op')
    const request = new URL(started.headers.get('location') as string)
    if (request.origin !== origin) await setup.browser.visit(issuer.authorize(request).href)
    await expectSignIn(setup)
  })
})

describe('an issuer within the specifications', () => {
  test.each(validVariations)('$name: signs in (I-24)', async (variation) => {
    const setup = setUp()
    issuer.vary(variation)
    const response = await signInAtIssuer(setup.browser, issuer, {
      fields: { callbackUrl: '/deep' },
    })
    expect(response.headers.get('location'), JSON.stringify(setup.service.lines)).toBe(
      `${origin}/deep`,
    )
    const { user } = await setup.browser.json('/session')
    expect(user).toMatchObject({
      id: `op:${(variation.idToken?.['sub'] as string | undefined) ?? 'alice'}`,
    })
    expect(getFlowCookies(setup.browser)).toEqual([])
    expect(setup.service.lines).toEqual([])
  })

  test('receives no secret in a URL, and its redirects are not followed (I-26)', async () => {
    const { browser } = setUp()
    await signInAtIssuer(browser, issuer)
    for (const { url, redirect } of issuer.requests) {
      expect(redirect).toBe('manual')
      expect([...issuer.secrets].filter((secret) => url.includes(secret))).toEqual([])
    }
  })
})

describe('claims about the user (I-40)', () => {
  test.each(hostileClaims)('$name, in userinfo', async ({ userClaims, shown }) => {
    const { browser } = setUp()
    issuer.vary({ userClaims })
    expect((await signInAtIssuer(browser, issuer)).headers.get('location')).toBe(origin)
    expect((await browser.json('/session'))['user']).toEqual({
      id: 'op:alice',
      emailVerified: false,
      ...shown,
    })
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test.each(hostileClaims)('$name, in the ID Token', async ({ userClaims, shown }) => {
    const inToken = createIssuer({
      ...client,
      ...timing,
      algorithm: 'ES256',
      userClaimsIn: 'id_token',
    })
    const { browser } = setUp(inToken)
    inToken.vary({ userClaims })
    expect((await signInAtIssuer(browser, inToken)).headers.get('location')).toBe(origin)
    expect((await browser.json('/session'))['user']).toEqual({
      id: 'op:alice',
      emailVerified: false,
      ...shown,
    })
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test.each([
    [true, true],
    [false, false],
    ['true', false],
    [1, false],
    [undefined, false],
    [['alice@issuer.example'], false],
  ])(
    'email_verified %j: the email address is verified: %j (I-38)',
    async (email_verified, verified) => {
      expect(await getUser({ email_verified })).toMatchObject({
        email: 'alice@issuer.example',
        emailVerified: verified,
      })
    },
  )

  test('without an email address emailVerified is false (I-38)', async () => {
    expect(await getUser({ email: undefined })).toMatchObject({ email: null, emailVerified: false })
  })

  test('email_verified applies to the email address of the same source only (I-38)', async () => {
    issuer.vary({
      idToken: { email: 'victim@issuer.example' }, // without a name, so that userinfo is requested too
      userClaims: { email: 'mallory@issuer.example', email_verified: true },
    })
    expect(await getUser()).not.toMatchObject({
      email: 'victim@issuer.example',
      emailVerified: true,
    })
  })

  /** Signs in and returns the user as `callbacks.signIn` receives it. */
  async function getUser(userClaims?: Record<string, unknown>): Promise<unknown> {
    let user: unknown
    const config = { id: 'op', name: 'The provider', issuer: issuer.issuer, ...client }
    const { browse } = serve({
      providers: [oidc({ ...config, trustEmailVerified: true })],
      runtime: { ...clock.runtime, fetch: issuer.fetch },
      callbacks: {
        signIn: (signIn) => {
          user = signIn.user
          return true
        },
      },
    })
    if (userClaims) issuer.vary({ userClaims })
    await signInAtIssuer(browse(), issuer)
    return user
  }
})

describe('two identity providers', () => {
  const other = createIssuer({
    ...client,
    ...timing,
    issuer: 'https://other.example',
    algorithm: 'ES256',
  })
  const { browse } = serve({
    providers: [
      oidc({ id: 'op', name: 'One', issuer: issuer.issuer, ...client }),
      oidc({ id: 'other', name: 'Other', issuer: other.issuer, ...client }),
    ],
    runtime: {
      ...clock.runtime,
      fetch: (url, init) => (url.startsWith(other.issuer) ? other : issuer).fetch(url, init),
    },
  })

  test('the code goes only to the provider that began the flow (I-23)', async () => {
    const browser = browse()
    const callback = issuer.authorize(await beginSignIn(browser))
    const before = issuer.countRequests('token')
    const response = await browser.visit(
      callback.href.replace('/callback/op?', '/callback/other?').replace(/&iss=[^&]*/, ''),
    )
    expect(getRedirect(response).error).toBe('OAuthCallback')
    expect([issuer.countRequests('token') - before, other.countRequests('token')]).toEqual([0, 0])
    expect(await browser.json('/session')).toEqual({})
  })

  test('one that sends the authorization response of the other gets no code (I-23, RFC 9207)', async () => {
    const browser = browse()
    const request = await beginSignIn(browser, { provider: 'other' })
    const state = request.searchParams.get('state') as string
    const stolen = issuer.authorize(await beginSignIn(browse())).searchParams
    const mixed = `${base}/callback/other?code=${stolen.get('code')}&state=${state}&iss=${issuer.issuer}`
    expect(getRedirect(await browser.visit(mixed)).error).toBe('OAuthCallback')
    expect(other.countRequests('token')).toBe(0)
  })
})

describe('a plain OAuth 2.0 provider (I-23, I-25, I-26)', () => {
  const api = 'https://issuer.example/api/user'
  const forge = createIssuer({
    ...client,
    ...timing,
    openid: false,
    algorithm: 'ES256',
    api: { [api]: { id: 4711, name: 'Alice' } },
  })
  const config = {
    id: 'op',
    name: 'Forge',
    issuer: forge.issuer,
    authorizationEndpoint: `${forge.issuer}/authorize`,
    tokenEndpoint: `${forge.issuer}/token`,
    userinfo: api,
    ...client,
  }
  /** Serves the provider; `respond` replaces the response of its API. */
  const serveForge = (respond?: (response: Response) => Response): TestService<unknown> =>
    serve({
      providers: [oauth(config)],
      runtime: {
        ...clock.runtime,
        fetch: async (url, init) => {
          const response = await forge.fetch(url, init)
          return url === api && respond ? respond(response) : response
        },
      },
    })

  test('signs in with the user of its API; a numeric id is the subject', async () => {
    const browser = serveForge().browse()
    expect((await signInAtIssuer(browser, forge)).headers.get('location')).toBe(origin)
    expect((await browser.json('/session'))['user']).toMatchObject({ id: 'op:4711' })
  })

  test('an ID Token is ignored', async () => {
    const browser = serveForge().browse()
    forge.vary({ token: { id_token: 'e30.e30.e30' } })
    expect((await signInAtIssuer(browser, forge)).headers.get('location')).toBe(origin)
    forge.vary()
    expect((await browser.json('/session'))['user']).toMatchObject({ id: 'op:4711' })
  })

  test.each<[string, (response: Response) => Response]>([
    ['no id', () => Response.json({ name: 'Alice' })],
    ['an id that is empty', () => Response.json({ id: '' })],
    ['an id that is an object', () => Response.json({ id: {} })],
    ['an id that is null', () => Response.json({ id: null })],
    ['an id that is true', () => Response.json({ id: true })],
    ['an id with NUL', () => Response.json({ id: 'alice\u0000' })],
    ['an id with half of a character', () => Response.json({ id: 'alice\ud83e' })],
    ['an id of 256 characters', () => Response.json({ id: 'i'.repeat(256) })],
    [
      'a text that is not UTF-8',
      () => new Response(Uint8Array.of(0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d)),
    ],
    ['a list', () => Response.json([{ id: 4711 }])],
    ['null', () => Response.json(null)],
    ['a text', () => Response.json('4711')],
    ['HTML', () => new Response('<p>', { headers: { 'content-type': 'text/html' } })],
    ['status 500', () => Response.json({ id: 4711 }, { status: 500 })],
    ['status 401', () => Response.json({ id: 4711 }, { status: 401 })],
    ['a redirect', () => Response.redirect('https://attacker.example/')],
  ])('%s from its API is refused', async (_, respond) => {
    const { browse, lines } = serveForge(respond)
    const browser = browse()
    expect(getRedirect(await signInAtIssuer(browser, forge))).toEqual({
      path: '/api/auth/signin',
      error: 'OAuthCallback',
    })
    expect(await browser.json('/session')).toEqual({})
    expect(getFlowCookies(browser)).toEqual([])
    const log = JSON.stringify(lines)
    expect([...forge.secrets].filter((secret) => log.includes(secret))).toEqual([])
  })

  // Without a discovery document, a provider cannot announce `iss`.
  const rows = faults.filter(
    ({ group, name }) => group === 'authorization response' && !name.includes('although announced'),
  )

  test.each(rows)('authorization response: $name: is refused', async (fault) => {
    const browser = serveForge().browse()
    forge.vary(fault)
    const response = await signInAtIssuer(browser, forge)
    forge.vary()
    expect(fault.codes).toContain(getRedirect(response).error)
    expect(await browser.json('/session')).toEqual({})
  })
})
