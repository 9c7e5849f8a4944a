import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import type { Authentication, AuthConfig, Storage } from '@latchkey/core'
import { apiTokens } from '@latchkey/tokens'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { signedIn } from '@latchkey/testing'
import type { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer, IssuerOptions } from '@latchkey/testing/issuer'
import { encode } from 'next-auth/jwt'
import { Mailbox } from './support/mailbox.ts'
import {
  beginSignIn,
  createPageRequest,
  getConfigError,
  getRedirect,
  passport,
  serve,
  signIn,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }
const noon = 1_800_000_000
const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']

const staff = credentials({
  fields: { name: { label: 'Name' } },
  authorize: async ({ name }) => ({ id: name, name }),
})

const strategies: readonly [string, () => Partial<AuthConfig>][] = [
  ['in its cookie', () => ({})],
  ['in its cookie, revocable', () => revocable(memoryStorage())],
  ['in the storage', () => ({ storage: memoryStorage() })],
]

function revocable(storage: Storage): Partial<AuthConfig> {
  return { storage, session: { strategy: 'cookie', revocable: true } }
}

async function getAuthentication(
  { auth }: Pick<TestService<unknown>, 'auth'>,
  browser: Browser,
): Promise<Authentication | null> {
  return (await auth.getSession(createPageRequest(browser))).authentication
}

interface IssuerSetup {
  readonly service: TestService<unknown>
  readonly issuer: Issuer
}

/** Sets up a service at noon, with an OpenID provider whose clock is the service's. */
function setUp(options: IssuerOptions = {}, over: Partial<OidcConfig> = {}): IssuerSetup {
  const now = (): number => noon * 1000
  const issuer = createIssuer({ ...client, algorithm: 'ES256', now, ...options })
  const config = { id: 'op', name: 'The provider', issuer: issuer.issuer, ...client, ...over }
  const runtime = { now, fetch: issuer.fetch }
  return { service: serve({ providers: [oidc(config)], runtime }), issuer }
}

/** Signs in at the issuer; returns the session's authentication, or the error code. */
async function authenticate(
  { service, issuer }: IssuerSetup,
  query = '',
): Promise<Authentication | null | string> {
  const browser = service.browse()
  const url = await beginSignIn(browser, {}, `/signin/op${query}`)
  const response = await browser.visit(issuer.authorize(url).href)
  return getRedirect(response).error ?? getAuthentication(service, browser)
}

describe.each(strategies)('a session %s (I-50)', (_, createConfig) => {
  const serveAtNoon = (): TestService<unknown> => {
    const runtime = { now: () => noon * 1000 + 900 }
    return serve({ providers: [passport(), staff], runtime, ...createConfig() })
  }

  test('knows when and by which method the user proved who they are', async () => {
    const service = serveAtNoon()
    const browser = service.browse()
    await browser.submit('/callback/credentials', { name: 'ada' })
    expect(await getAuthentication(service, browser)).toEqual({
      authenticatedAt: noon,
      methods: ['pwd'],
    })
  })

  test('has no methods, at an unknown time, if its provider says neither', async () => {
    const service = serveAtNoon()
    const browser = service.browse()
    await signIn(browser)
    expect(await getAuthentication(service, browser)).toEqual({ methods: [] })
  })

  test('has the authentication of the latest sign-in', async () => {
    const service = serveAtNoon()
    const browser = service.browse()
    await browser.submit('/callback/credentials', { name: 'ada' })
    await signIn(browser)
    expect(await getAuthentication(service, browser)).toEqual({ methods: [] })
  })

  test('keeps it when it is renewed or updated, and when callbacks.jwt runs (I-50.4)', async () => {
    let skipped = 0
    const service = serve({
      providers: [staff],
      runtime: { now: () => (noon + skipped) * 1000 },
      callbacks: { jwt: ({ token }) => ({ sub: token.sub, authentication: 'forged' }) },
      ...createConfig(),
      session: { ...createConfig().session, update: ({ token }) => ({ ...token, changed: true }) },
    })
    const browser = service.browse()
    await browser.submit('/callback/credentials', { name: 'ada' })
    skipped = 90_000
    await browser.json('/session')
    await browser.submit('/session', { data: '{}' })
    expect(await getAuthentication(service, browser)).toEqual({
      authenticatedAt: noon,
      methods: ['pwd'],
    })
  })

  test('does not show it to clients', async () => {
    const browser = serveAtNoon().browse()
    await browser.submit('/callback/credentials', { name: 'ada' })
    const text = JSON.stringify(await browser.json('/session'))
    expect(text).toContain('ada')
    expect(text).not.toMatch(/authentica|methods|pwd/)
  })
})

test('auth.getSession has no authentication without a session (I-50.5)', async () => {
  const service = serve()
  expect(await getAuthentication(service, service.browse())).toBeNull()
})

test('an email proves by the method `email`, by its link and by its code (I-50.2)', async () => {
  const began = Math.floor(Date.now() / 1000)
  const mailer = new Mailbox()
  const provider = email({ from: 'auth@app.example', mailer, code: true })
  const service = serve({ providers: [provider], storage: memoryStorage() })
  for (const finish of [
    (browser: Browser) => browser.visit(mailer.getLink().href),
    (browser: Browser) => browser.submit('/callback/email', { code: mailer.getCode() }),
  ]) {
    const browser = service.browse()
    await browser.submit('/signin/email', { email: 'ada@example.com' })
    await finish(browser)
    const { authenticatedAt = 0, methods } = { ...(await getAuthentication(service, browser)) }
    expect(methods).toEqual(['email'])
    expect(authenticatedAt).toBeGreaterThanOrEqual(began)
    expect(authenticatedAt).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000))
  }
})

describe('an identity provider (I-50)', () => {
  test('authenticates at an unknown time if it does not say when', async () => {
    expect(await authenticate(setUp())).toEqual({ methods: ['fed'] })
  })

  test('authenticates when it says, in a signed claim', async () => {
    expect(await authenticate(setUp({ idToken: { auth_time: noon - 60 } }))).toEqual({
      authenticatedAt: noon - 60,
      methods: ['fed'],
    })
  })

  test('authenticates now at most', async () => {
    expect(await authenticate(setUp({ idToken: { auth_time: noon + 20 } }))).toMatchObject({
      authenticatedAt: noon,
    })
  })

  test('says nothing by the claims of the userinfo endpoint, which is not signed', async () => {
    const userClaims = { sub: 'alice', auth_time: noon, amr: ['mfa'], acr: 'gold' }
    const setup = setUp({ userClaims }, { fetchUserinfo: true })
    expect(await authenticate(setup)).toEqual({ methods: ['fed'] })
    expect(setup.issuer.countRequests('userinfo')).toBe(1)
  })

  test('with the option confirm authenticates now, if it does not say when', async () => {
    const over = { confirm: 'trust' } as const
    expect(await authenticate(setUp({}, over))).toMatchObject({ authenticatedAt: noon })
    const said = setUp({ idToken: { auth_time: noon - 60 } }, over)
    expect(await authenticate(said)).toMatchObject({ authenticatedAt: noon - 60 })
  })

  test('has its methods and its class kept apart, at most ten texts of 64 characters', async () => {
    const amr = ['pwd', 'otp', 5, 'x'.repeat(65), ...letters]
    const idToken = { amr, acr: 'urn:example:silver' }
    expect(await authenticate(setUp({ idToken }))).toEqual({
      methods: ['fed'],
      provider: { amr: ['pwd', 'otp', ...letters.slice(0, 8)], acr: 'urn:example:silver' },
    })
    const unusable = { amr: 'mfa', acr: 'x'.repeat(65) }
    expect(await authenticate(setUp({ idToken: unusable }))).toEqual({ methods: ['fed'] })
  })
})

describe('max_age (OpenID Connect Core 1.0 §3.1.3.7)', () => {
  const recent = { idToken: { auth_time: noon - 200 } }

  test('is sent, and an older authentication is refused', async () => {
    const setup = setUp(recent)
    const url = await beginSignIn(setup.service.browse(), {}, '/signin/op?max_age=300')
    expect(url.searchParams.get('max_age')).toBe('300')
    expect(await authenticate(setup, '?max_age=300')).toMatchObject({ methods: ['fed'] })
    expect(await authenticate(setup, '?max_age=100')).toBe('OAuthCallback')
  })

  test('of the configuration is checked as well', async () => {
    const params = { max_age: '300' }
    expect(await authenticate(setUp(recent, { params }))).toMatchObject({ methods: ['fed'] })
    const older = { idToken: { auth_time: noon - 400 } }
    expect(await authenticate(setUp(older, { params }))).toBe('OAuthCallback')
    // A client cannot replace it (I-22).
    expect(await authenticate(setUp(older, { params }), '?max_age=500')).toBe('OAuthCallback')
  })

  test('refuses an ID Token without auth_time', async () => {
    expect(await authenticate(setUp())).toMatchObject({ methods: ['fed'] })
    expect(await authenticate(setUp(), '?max_age=300')).toBe('OAuthCallback')
  })

  test.each(['', '-1', '1.5', 'soon', '1e3'])('refuses "%s"', async (value) => {
    const { service } = setUp()
    const valid = await service.browse().submit('/signin/op?max_age=0')
    expect(valid.headers.get('location')).toContain('max_age=0')
    const refused = await service.browse().submit(`/signin/op?max_age=${value}`)
    expect(refused.status).toBe(400)
  })
})

describe('acr_values (OpenID Connect Core 1.0 §3.1.2.1)', () => {
  const silver = { idToken: { acr: 'silver' } }

  test('are satisfied by one of them', async () => {
    expect(await authenticate(setUp(silver), '?acr_values=gold%20silver')).toMatchObject({
      provider: { acr: 'silver' },
    })
  })

  test('refuse another class, and none', async () => {
    expect(await authenticate(setUp(silver), '?acr_values=silver')).toMatchObject({
      methods: ['fed'],
    })
    expect(await authenticate(setUp(silver), '?acr_values=gold')).toBe('OAuthCallback')
    expect(await authenticate(setUp(), '?acr_values=silver')).toBe('OAuthCallback')
  })

  test('of the configuration are checked as well', async () => {
    const gold = { params: { acr_values: 'gold' } }
    expect(await authenticate(setUp({ idToken: { acr: 'gold' } }, gold))).toMatchObject({
      provider: { acr: 'gold' },
    })
    expect(await authenticate(setUp(silver, gold))).toBe('OAuthCallback')
  })
})

test('an imported session has no methods, at an unknown time (I-50.6)', async () => {
  const secret = 'the NEXTAUTH_SECRET of the application'
  const service = serve({
    session: { importFrom: [nextAuthV4({ secret, until: new Date(Date.now() + 60_000) })] },
  })
  const browser = service.browse()
  const token = { sub: 'u1', name: 'Ada' }
  browser.cookies.set('__Secure-next-auth.session-token', await encode({ token, secret }))
  expect(await getAuthentication(service, browser)).toEqual({ methods: [] })
  expect(await browser.json('/session')).toMatchObject({ user: { name: 'Ada' } })
  expect([...browser.cookies.keys()]).toContain('__Host-latchkey.session')
  expect(await getAuthentication(service, browser)).toEqual({ methods: [] })
})

test.each<[string, (data: Record<string, unknown>) => string]>([
  [
    'was stored by an earlier version',
    (data) => JSON.stringify({ ...data, authentication: undefined }),
  ],
  ['cannot be read', () => 'no JSON'],
])('a session whose data %s has no authentication (I-50.6)', async (_, change) => {
  const storage = memoryStorage()
  let isChanged = false
  const getSessionAndUser: Storage['getSessionAndUser'] = async (...args) => {
    const found = await storage.getSessionAndUser(...args)
    if (!found || !isChanged) return found
    const data = change(JSON.parse(found.session.data) as Record<string, unknown>)
    return { ...found, session: { ...found.session, data } }
  }
  const service = serve({ providers: [staff], storage: { ...storage, getSessionAndUser } })
  const browser = service.browse()
  await browser.submit('/callback/credentials', { name: 'ada' })
  expect(await getAuthentication(service, browser)).toMatchObject({ methods: ['pwd'] })
  isChanged = true
  expect(await getAuthentication(service, browser)).toBeNull()
  expect(await browser.json('/session')).toMatchObject({ user: { name: 'ada' } })
})

test('callbacks and events receive it (I-50.5)', async () => {
  const received: Record<string, unknown> = {}
  const record = (name: string, value: unknown): void => void (received[name] ??= value)
  const service = serve({
    providers: [staff],
    runtime: { now: () => noon * 1000 },
    callbacks: {
      signIn({ authentication }) {
        record('callbacks.signIn', authentication)
        return true
      },
      jwt({ token, authentication }) {
        record('callbacks.jwt', authentication)
        return token
      },
      session({ session, authentication }) {
        record('callbacks.session', authentication)
        return session
      },
    },
    session: { update: ({ token }) => token },
    events: {
      signIn: ({ authentication }) => record('events.signIn', authentication),
      session: ({ authentication }) => record('events.session', authentication),
      updateSession: ({ authentication }) => record('events.updateSession', authentication),
    },
  })
  const browser = service.browse()
  await browser.submit('/callback/credentials', { name: 'ada' })
  await browser.json('/session')
  await browser.submit('/session', { data: '{}' })
  const expected = { authenticatedAt: noon, methods: ['pwd'] }
  await expect.poll(() => Object.keys(received)).toHaveLength(6)
  expect(new Set(Object.values(received).map((value) => JSON.stringify(value)))).toEqual(
    new Set([JSON.stringify(expected)]),
  )
})

describe('API tokens (RFC 9068 §2.2.1)', async () => {
  const keys = [await generateTokenKey()]
  const getClaims = async (provider: 'credentials' | 'passport'): Promise<object> => {
    const service = serve({
      providers: [passport(), staff],
      runtime: { now: () => noon * 1000 },
      use: [apiTokens({ audience: 'https://api.example', keys })],
    })
    const browser = service.browse()
    if (provider === 'passport') await signIn(browser)
    else await browser.submit('/callback/credentials', { name: 'ada' })
    const response = await browser.submit('/token')
    return decodeJwt(((await response.json()) as { token: string }).token)
  }

  test('carry auth_time and amr', async () => {
    expect(await getClaims('credentials')).toMatchObject({ auth_time: noon, amr: ['pwd'] })
  })

  test('carry neither if they are unknown', async () => {
    const claims = await getClaims('passport')
    expect(claims).toHaveProperty('sub')
    expect(claims).not.toHaveProperty('auth_time')
    expect(claims).not.toHaveProperty('amr')
  })
})

test('signedIn authenticates now, by the method of the provider', async () => {
  const { auth } = serve({ providers: [passport(), staff], runtime: { now: () => noon * 1000 } })
  const methods = async (provider: string): Promise<unknown> => {
    const user = { id: 'ada' }
    const cookie = await signedIn(auth, { user, provider })
    const request = new Request('https://app.example/', { headers: { cookie } })
    return (await auth.getSession(request)).authentication
  }
  expect(await methods('credentials')).toEqual({ authenticatedAt: noon, methods: ['pwd'] })
  expect(await methods('passport')).toEqual({ authenticatedAt: noon, methods: ['fed'] })
})

describe('createAuth refuses (I-50)', () => {
  const getProblem = (over: object): readonly [string, string] | undefined =>
    getConfigError(() => ({
      providers: [oidc({ id: 'op', name: 'OP', issuer: 'https://op.example', ...client, ...over })],
    }))

  test.each<[string, object, string]>([
    ['another value of confirm', { confirm: true }, 'providers.op.confirm'],
    [
      'a max_age that is not seconds',
      { params: { max_age: 'soon' } },
      'providers.op.params.max_age',
    ],
  ])('%s', (_, over, option) => {
    expect(getProblem({ confirm: 'trust', params: { max_age: '300' } })).toBeUndefined()
    expect(getProblem(over)?.[0]).toBe(option)
  })
})
