import { AuthError, ConfigurationError } from '@latchkey/core'
import type {
  Account,
  Auth,
  AuthConfig,
  ProviderRuntime,
  Provider,
  Storage,
  Tokens,
} from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/core/testing/browser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { client, startOp } from './support/op.ts'
import type { Op } from './support/op.ts'
import { beginSignIn, idp, origin, passport, serve, signIn } from './support/service.ts'
import type { LogLine, TestService } from './support/service.ts'

const HOUR = 3600

/** Creates a request of the application with the cookies of a browser. */
function createRequest(browser: Browser): Request {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return new Request(`${origin}/page`, { headers: { cookie } })
}

/** Returns the access token that the application gets for the user of a browser. */
async function getToken(
  { auth }: { readonly auth: Pick<Auth, 'getAccessToken'> },
  browser: Browser,
  provider = 'passport',
): Promise<string | undefined> {
  return (await auth.getAccessToken(createRequest(browser), provider))?.accessToken
}

/** Returns the stored account. */
async function getAccount(
  storage: Storage,
  provider = 'passport',
  subject = 'alice',
): Promise<Account> {
  const user = await storage.getUserByAccount(provider, subject)
  const accounts = await storage.listAccounts(user?.id ?? '')
  const account = accounts.find((candidate) => candidate.provider === provider)
  if (!account) throw new Error(`expected an account of ${provider}, found none`)
  return account
}

/** Returns the reason of a rejected promise. */
async function getRejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (thrown) {
    return thrown
  }
  throw new Error('expected a rejection')
}

/** Returns the tokens of a refresh, from those that the provider issues by default. */
type Refresh = (
  tokens: Tokens,
  refreshToken: string,
  runtime: ProviderRuntime,
) => Tokens | Promise<Tokens>

interface Setup extends TestService<unknown> {
  readonly storage: Storage
  /** The refresh tokens that the provider received. */
  readonly refreshTokens: string[]
  readonly provider: Provider
  /** The browser of alice, signed in. */
  readonly browser: Browser
}

/**
 * Serves a provider whose tokens expire after an hour. Its n-th refresh returns `access-n` and
 * `refresh-n`, or what `refresh` makes of them.
 */
async function setUp(
  refresh: Refresh = (tokens) => tokens,
  over: Partial<AuthConfig> = {},
): Promise<Setup> {
  const refreshTokens: string[] = []
  const storage = over.storage ?? memoryStorage()
  const inAnHour = (milliseconds: number): number => Math.floor(milliseconds / 1000) + HOUR
  let signedIn = 0
  const provider = passport({
    identify: () => ({ tokens: createTokens(`${signedIn++ === 0 ? '' : 'new-'}0`, clock()) }),
    refresh: async (refreshToken, runtime) => {
      refreshTokens.push(refreshToken)
      const tokens = createTokens(String(refreshTokens.length), inAnHour(runtime.now()))
      // Leaves time for concurrent requests.
      await new Promise((resolve) => setTimeout(resolve, 20))
      return refresh(tokens, refreshToken, runtime)
    },
  })
  const service = serve({ providers: [provider], ...over, storage })
  let skipped = 0
  const clock = (): number => inAnHour(Date.now() + skipped * 1000)
  const wait = (seconds: number): void => {
    skipped += seconds
    service.wait(seconds)
  }
  const browser = service.browse()
  await signIn(browser)
  return { ...service, wait, storage, refreshTokens, provider, browser }
}

function createTokens(name: string, expires_at: number): Tokens {
  return {
    access_token: `access-${name}`,
    refresh_token: `refresh-${name}`,
    token_type: 'bearer',
    scope: 'read',
    expires_at,
  }
}

/** The provider does not rotate refresh tokens. */
const withoutRotation: Refresh = (given) => {
  const { refresh_token: _, ...tokens } = given
  return tokens
}

/** Expects no token of {@link createTokens} in the log. */
function expectNoTokens(lines: readonly LogLine[]): void {
  expect(JSON.stringify(lines)).not.toMatch(/access-|refresh-/)
}

describe('a valid token', () => {
  test('is returned as it is', async () => {
    const { auth, browser, refreshTokens } = await setUp()
    const token = await auth.getAccessToken(createRequest(browser), 'passport')
    expect(token).toEqual({ accessToken: 'access-0', expiresAt: expect.any(Number) })
    expect(refreshTokens).toEqual([])
  })

  test('of several accounts is that of the oldest account, or of the requested one', async () => {
    const setup = await setUp()
    const { auth, browser, storage } = setup
    const { providerAccountId, provider } = await getAccount(storage)
    const user = await storage.getUserByAccount(provider, providerAccountId)
    const work = { provider, type: 'oauth', providerAccountId: 'work', access_token: 'of-work' }
    await storage.linkAccount(user?.id ?? '', work)
    const getTokenOf = async (accountId?: string): Promise<string | undefined> => {
      const options = accountId === undefined ? {} : { providerAccountId: accountId }
      return (await auth.getAccessToken(createRequest(browser), provider, options))?.accessToken
    }
    expect(await getTokenOf('work')).toBe('of-work')
    expect(await getTokenOf()).toBe(await getTokenOf(providerAccountId))
    expect(await getTokenOf()).not.toBe('of-work')
    expect(await getTokenOf('unknown')).toBeUndefined()
  })

  test('without expires_at is returned as it is', async () => {
    const tokens = { access_token: 'endless' }
    const provider = passport({ identify: () => ({ tokens }) })
    const service = serve({ providers: [provider], storage: memoryStorage() })
    const browser = service.browse()
    await signIn(browser)
    service.wait(20 * 24 * HOUR)
    expect(await service.auth.getAccessToken(createRequest(browser), 'passport')).toEqual({
      accessToken: 'endless',
      expiresAt: undefined,
    })
  })

  test('is refreshed a minute before it expires', async () => {
    const setup = await setUp()
    setup.wait(HOUR - 120)
    expect(await getToken(setup, setup.browser)).toBe('access-0')
    setup.wait(61)
    expect(await getToken(setup, setup.browser)).toBe('access-1')
  })
})

describe('an expired token', () => {
  test('is refreshed, and the new one is stored', async () => {
    const setup = await setUp()
    setup.wait(HOUR)
    const { expires_at = 0 } = await getAccount(setup.storage)
    const token = await setup.auth.getAccessToken(createRequest(setup.browser), 'passport')
    expect(token).toEqual({ accessToken: 'access-1', expiresAt: expect.any(Number) })
    expect(token?.expiresAt).toBeGreaterThan(expires_at + HOUR - 60)
    expect(await getAccount(setup.storage)).toEqual({
      provider: 'passport',
      type: 'oauth',
      providerAccountId: 'alice',
      ...createTokens('1', token?.expiresAt ?? 0),
    })
    expect(await getToken(setup, setup.browser)).toBe('access-1')
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('is refreshed each time with the newest refresh token', async () => {
    const setup = await setUp()
    for (const name of ['access-1', 'access-2', 'access-3']) {
      setup.wait(HOUR)
      expect(await getToken(setup, setup.browser)).toBe(name)
    }
    expect(setup.refreshTokens).toEqual(['refresh-0', 'refresh-1', 'refresh-2'])
  })

  test('is refreshed with the same refresh token if the provider does not rotate it', async () => {
    const setup = await setUp(withoutRotation)
    for (const name of ['access-1', 'access-2']) {
      setup.wait(HOUR)
      expect(await getToken(setup, setup.browser)).toBe(name)
    }
    expect(setup.refreshTokens).toEqual(['refresh-0', 'refresh-0'])
    expect((await getAccount(setup.storage)).refresh_token).toBe('refresh-0')
  })

  test('in its last minute is returned if it cannot be refreshed', async () => {
    const expires_at = Math.floor(Date.now() / 1000) + 50
    const provider = passport({
      identify: () => ({ tokens: { access_token: 'brief', expires_at } }),
    })
    const service = serve({ providers: [provider], storage: memoryStorage() })
    const browser = service.browse()
    await signIn(browser)
    expect(await getToken(service, browser)).toBe('brief')
  })

  test('without a refresh token requires a new sign-in', async () => {
    const expires_at = Math.floor(Date.now() / 1000) - 1
    const tokens = { access_token: 'over', expires_at }
    const { provider } = await setUp()
    const service = serve({
      providers: [{ ...provider, ...passport({ identify: () => ({ tokens }) }) }],
      storage: memoryStorage(),
    })
    const browser = service.browse()
    await signIn(browser)
    expect(await getRejection(getToken(service, browser))).toMatchObject({ code: 'OAuthSignin' })
  })

  test('of a provider without refresh() requires a new sign-in', async () => {
    const tokens = createTokens('0', Math.floor(Date.now() / 1000) - 1)
    const provider = passport({ identify: () => ({ tokens }) })
    const service = serve({ providers: [provider], storage: memoryStorage() })
    const browser = service.browse()
    await signIn(browser)
    expect(await getRejection(getToken(service, browser))).toMatchObject({ code: 'OAuthSignin' })
  })

  test.each<AuthConfig['session'] & object>([
    { strategy: 'storage' },
    { strategy: 'cookie' },
    { strategy: 'cookie', revocable: true },
  ])('is refreshed with sessions of %j', async (session) => {
    const setup = await setUp(undefined, { session })
    setup.wait(HOUR)
    expect(await getToken(setup, setup.browser)).toBe('access-1')
    expect((await getAccount(setup.storage)).access_token).toBe('access-1')
  })

  test('is refreshed for its user only', async () => {
    const setup = await setUp()
    const bob = setup.browse()
    await signIn(bob, 'bob')
    setup.wait(HOUR)
    expect(await getToken(setup, bob)).toBe('access-1')
    expect((await getAccount(setup.storage)).access_token).toBe('access-0')
  })
})

describe('concurrent requests', () => {
  const getTokens = (
    services: readonly Pick<Setup, 'auth'>[],
    browser: Browser,
  ): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: 50 }, (_, i) => getToken(services[i % services.length]!, browser)),
    )

  test('refresh once and return the new token', async () => {
    const setup = await setUp()
    setup.wait(HOUR)
    expect(await getTokens([setup], setup.browser)).toEqual(Array(50).fill('access-1'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once if the refresh token stays the same', async () => {
    const setup = await setUp(withoutRotation)
    setup.wait(HOUR)
    expect(await getTokens([setup], setup.browser)).toEqual(Array(50).fill('access-1'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once in two processes with one storage', async () => {
    const setup = await setUp()
    const { storage, provider } = setup
    const other = serve({ providers: [provider], storage })
    setup.wait(HOUR)
    other.wait(HOUR)
    expect(await getTokens([setup, other], setup.browser)).toEqual(Array(50).fill('access-1'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('of two users refresh once for each', async () => {
    const setup = await setUp()
    const bob = setup.browse()
    await signIn(bob, 'bob')
    setup.wait(HOUR)
    const tokens = await Promise.all([getToken(setup, setup.browser), getToken(setup, bob)])
    expect(new Set(tokens)).toEqual(new Set(['access-1', 'access-2']))
    expect(new Set(setup.refreshTokens)).toEqual(new Set(['refresh-0', 'refresh-new-0']))
    expect(setup.refreshTokens).toHaveLength(2)
  })

  test('return the token if the provider only extends its lifetime', async () => {
    const timeouts = { callback: 1 }
    const setup = await setUp((tokens) => ({ ...tokens, access_token: 'access-0' }), { timeouts })
    setup.wait(HOUR)
    expect(await getTokens([setup], setup.browser)).toEqual(Array(50).fill('access-0'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once during a slow refresh', async () => {
    let second: Promise<string | undefined> | undefined
    const setup: Setup = await setUp(
      async (tokens) => {
        setup.wait(31)
        second ??= getToken(setup, setup.browser)
        await new Promise((resolve) => setTimeout(resolve, 200))
        return tokens
      },
      { timeouts: { request: 60, callback: 60 } },
    )
    setup.wait(HOUR)
    const first = await getToken(setup, setup.browser)
    expect(await second).toBe(first)
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('fail together if the refresh fails, with one request to the provider', async () => {
    const refuse = (): never => {
      throw new Error('invalid_grant')
    }
    const setup = await setUp(refuse, { timeouts: { callback: 0.3 } })
    setup.wait(HOUR)
    const thrown = await Promise.all(
      Array.from({ length: 10 }, () => getRejection(getToken(setup, setup.browser))),
    )
    for (const error of thrown) expect(error).toMatchObject({ code: 'OAuthSignin' })
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })
})

describe('the lifetime of tokens', () => {
  const withLifetime =
    (seconds: number | undefined): Refresh =>
    (given) => {
      const { refresh_token: _, expires_at = 0, ...tokens } = given
      return seconds === undefined ? tokens : { ...tokens, expires_at: expires_at - HOUR + seconds }
    }

  test.each([60, 80])('of %i seconds works without rotation of refresh tokens', async (seconds) => {
    const setup = await setUp(withLifetime(seconds), { timeouts: { callback: 0.3 } })
    setup.wait(HOUR)
    expect(await getToken(setup, setup.browser)).toBe('access-1')
    setup.wait(25)
    expect(await getToken(setup, setup.browser)).toMatch(/^access-[12]$/)
  })

  test('is unlimited if the provider does not send expires_in', async () => {
    const setup = await setUp(withLifetime(undefined), { timeouts: { callback: 0.3 } })
    setup.wait(HOUR)
    const token = await setup.auth.getAccessToken(createRequest(setup.browser), 'passport')
    expect(token).toEqual({ accessToken: 'access-1', expiresAt: undefined })
    expect(await getToken(setup, setup.browser)).toBe('access-1')
    expect(setup.refreshTokens).toHaveLength(1)
  })

  test('of a former token does not apply to the token of a new sign-in', async () => {
    let tokens: Tokens = createTokens('0', Math.floor(Date.now() / 1000) + HOUR)
    const provider = passport({ identify: () => ({ tokens }) })
    const service = serve({ providers: [provider], storage: memoryStorage() })
    const browser = service.browse()
    await signIn(browser)
    service.wait(HOUR)
    tokens = { access_token: 'endless' }
    await signIn(browser)
    expect(await getToken(service, browser)).toBe('endless')
  })
})

describe('a refused refresh', () => {
  const refusing = (): Promise<Setup> => {
    const refuse = (_: Tokens, refreshToken: string): never => {
      throw new Error(`invalid_grant: ${refreshToken}`)
    }
    return setUp(refuse, { timeouts: { callback: 0.3 } })
  }

  test('is an AuthError OAuthSignin and keeps the stored tokens', async () => {
    const setup = await refusing()
    const before = await getAccount(setup.storage)
    setup.wait(HOUR)
    const thrown = await getRejection(getToken(setup, setup.browser))
    expect(thrown).toBeInstanceOf(AuthError)
    expect(thrown).toMatchObject({ code: 'OAuthSignin', status: 502 })
    expect((thrown as Error).message).not.toContain('refresh-0')
    expect(await getAccount(setup.storage)).toEqual(before)
  })

  test('is not repeated at once', async () => {
    const setup = await refusing()
    setup.wait(HOUR)
    for (let i = 0; i < 3; i++) {
      expect(await getRejection(getToken(setup, setup.browser))).toMatchObject({
        code: 'OAuthSignin',
      })
    }
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('is repeated later, when the provider may be available again', async () => {
    let down = true
    const setup = await setUp(
      (tokens) => {
        if (down) throw new Error('the provider is not available')
        return tokens
      },
      { timeouts: { callback: 0.3 } },
    )
    setup.wait(HOUR)
    await getRejection(getToken(setup, setup.browser))
    down = false
    setup.wait(30)
    expect(await getToken(setup, setup.browser)).toBe('access-2')
  })

  test('keeps the session, and a new sign-in fixes it', async () => {
    const setup = await refusing()
    setup.wait(HOUR)
    await getRejection(getToken(setup, setup.browser))
    expect(await setup.browser.json('/session')).toHaveProperty('user')
    await signIn(setup.browser)
    expect(await getToken(setup, setup.browser)).toBe('access-new-0')
  })

  test('logs no token', async () => {
    const setup = await refusing()
    setup.wait(HOUR)
    await getRejection(getToken(setup, setup.browser))
    await setup.browser.json('/session')
    expectNoTokens(setup.lines)
  })
})

describe('during a refresh', () => {
  test('the tokens of a new sign-in take precedence', async () => {
    const setup: Setup = await setUp(async (tokens) => {
      await signIn(setup.browser)
      return tokens
    })
    setup.wait(HOUR)
    const request = createRequest(setup.browser)
    const token = await setup.auth.getAccessToken(request, 'passport').catch(() => undefined)
    expect(token?.accessToken).toBe('access-new-0')
    expect(await getAccount(setup.storage)).toMatchObject({
      access_token: 'access-new-0',
      refresh_token: 'refresh-new-0',
    })
  })

  test('an unlinked account is not restored', async () => {
    const other = passport({ id: 'other', name: 'Other' })
    const setup: Setup = await setUp(async (tokens) => {
      const user = await setup.storage.getUserByAccount('passport', 'alice')
      await setup.auth.accounts.unlink(user?.id ?? '', {
        provider: 'passport',
        providerAccountId: 'alice',
      })
      return tokens
    })
    const user = await setup.storage.getUserByAccount('passport', 'alice')
    await setup.storage.linkAccount(user?.id ?? '', {
      provider: other.id,
      type: 'oauth',
      providerAccountId: 'alice',
    })
    setup.wait(HOUR)
    expect(await setup.auth.getAccessToken(createRequest(setup.browser), 'passport')).toBeNull()
    expect(await setup.storage.getUserByAccount('passport', 'alice')).toBeUndefined()
  })
})

describe('no access token', () => {
  test('is null without a session', async () => {
    const { auth } = await setUp()
    expect(await auth.getAccessToken(new Request(`${origin}/page`), 'passport')).toBeNull()
  })

  test('is null after sign-out', async () => {
    const setup = await setUp()
    await setup.browser.submit('/signout')
    expect(await setup.auth.getAccessToken(createRequest(setup.browser), 'passport')).toBeNull()
  })

  test('is null without an account at the provider', async () => {
    const other = passport({ id: 'other', name: 'Other' })
    const { auth, browse } = serve({ providers: [passport(), other], storage: memoryStorage() })
    const browser = browse()
    await signIn(browser)
    expect(await auth.getAccessToken(createRequest(browser), 'other')).toBeNull()
  })

  test('is a ConfigurationError for an unknown provider', async () => {
    const { auth, browser } = await setUp()
    for (const id of ['unknown', 'constructor', '']) {
      const thrown = await getRejection(auth.getAccessToken(createRequest(browser), id))
      expect(thrown).toBeInstanceOf(ConfigurationError)
      expect((thrown as Error).message).toBe(`auth.getAccessToken: no provider is "${id}"`)
    }
  })

  test('is a ConfigurationError without a storage', async () => {
    const { auth, browse } = serve()
    const browser = browse()
    await signIn(browser)
    const thrown = await getRejection(auth.getAccessToken(createRequest(browser), 'passport'))
    expect(thrown).toBeInstanceOf(ConfigurationError)
    expect(thrown).toMatchObject({
      option: 'auth.getAccessToken',
      problem: 'needs the option storage',
    })
  })

  test.each(['accountLists', 'accountUpdates', 'increment'] as const)(
    'is a ConfigurationError if the storage lacks the capability %s',
    async (lacking) => {
      const all = ['sessions', 'accountLists', 'accountUpdates', 'increment'] as const
      const capabilities = all.filter((capability) => capability !== lacking)
      const { auth, browser } = await setUp(undefined, {
        storage: { ...memoryStorage(), capabilities },
      })
      expect(
        await getRejection(auth.getAccessToken(createRequest(browser), 'passport')),
      ).toMatchObject({
        option: 'auth.getAccessToken',
        problem: `needs a storage with the capability ${lacking}`,
      })
    },
  )

  test('is an AuthError Unavailable if the storage fails', async () => {
    const storage = memoryStorage()
    const setup = await setUp(undefined, {
      storage: { ...storage, listAccounts: () => Promise.reject(new Error('secret detail')) },
    })
    const thrown = await getRejection(getToken(setup, setup.browser))
    expect(thrown).toMatchObject({ code: 'Unavailable', status: 503 })
    expect((thrown as Error).message).not.toContain('secret')
  })
})

/** Serves a plain OAuth 2.0 provider whose token endpoint is `respond`, with a signed-in user. */
async function serveForge(
  respond: (form: URLSearchParams) => Response | Promise<Response>,
  over: Partial<AuthConfig> = {},
): Promise<TestService<unknown> & { readonly storage: Storage; readonly browser: Browser }> {
  const forge = oauth({
    id: 'passport',
    name: 'Forge',
    authorizationEndpoint: `${idp}/authorize`,
    tokenEndpoint: `${idp}/token`,
    userinfo: `${idp}/user`,
    clientId: 'client-id',
    clientSecret: 'client-secret',
  })
  const tokens = createTokens('0', Math.floor(Date.now() / 1000) + HOUR)
  const provider = { ...forge, ...passport({ identify: () => ({ tokens }) }) }
  const storage = memoryStorage()
  const service = serve({
    providers: [provider],
    storage,
    timeouts: { request: 0.2, callback: 0.4 },
    runtime: { fetch: async (_, { body }) => respond(body as URLSearchParams) },
    ...over,
  })
  const browser = service.browse()
  await signIn(browser)
  service.wait(HOUR)
  return { ...service, storage, browser }
}

describe('the token endpoint (RFC 6749 §6)', () => {
  test('receives the refresh token, and its response is stored', async () => {
    const forms: Record<string, string>[] = []
    const forge = await serveForge((form) => {
      forms.push(Object.fromEntries(form))
      return Response.json({ access_token: 'access-1', token_type: 'Bearer', expires_in: 600 })
    })
    expect(await getToken(forge, forge.browser)).toBe('access-1')
    expect(forms).toEqual([{ grant_type: 'refresh_token', refresh_token: 'refresh-0' }])
    const now = Date.now() / 1000 + HOUR
    const { expires_at = 0, ...account } = await getAccount(forge.storage)
    expect(account).toMatchObject({ access_token: 'access-1', refresh_token: 'refresh-0' })
    expect(Math.abs(expires_at - now - 600)).toBeLessThan(30)
  })

  test.each<[string, () => Response | Promise<Response>]>([
    [
      'returns an error',
      () =>
        Response.json(
          { error: 'invalid_grant', error_description: 'refresh-0 is used up' },
          { status: 400 },
        ),
    ],
    ['is not available', () => new Response('not available for refresh-0', { status: 503 })],
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    ['does not return JSON', () => new Response('refresh-0')],
    ['returns no token', () => Response.json({ token_type: 'Bearer' })],
    [
      'redirects',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.example/' } }),
    ],
    ['never responds', () => new Promise<never>(() => undefined)],
  ])('if it %s: OAuthSignin, the tokens are kept and not logged', async (_, respond) => {
    const forge = await serveForge(respond)
    const before = await getAccount(forge.storage)
    const thrown = await getRejection(getToken(forge, forge.browser))
    expect(thrown).toBeInstanceOf(AuthError)
    expect(thrown).toMatchObject({ code: 'OAuthSignin' })
    expect((thrown as Error).message).not.toContain('refresh-')
    expect(await getAccount(forge.storage)).toEqual(before)
    expectNoTokens(forge.lines)
  })
})

test('a custom provider that never responds does not hold a request (I-26)', async () => {
  const setup = await setUp(() => new Promise<never>(() => undefined), {
    timeouts: { callback: 0.3 },
  })
  setup.wait(HOUR)
  const stillWaiting = new Promise((resolve) => setTimeout(resolve, 3000, 'still waiting'))
  const outcome = getRejection(getToken(setup, setup.browser))
  expect(await Promise.race([outcome, stillWaiting])).toMatchObject({ code: 'OAuthSignin' })
})

describe('a real OpenID provider', () => {
  const publicClient = client({
    client_id: 'public',
    client_secret: undefined,
    token_endpoint_auth_method: 'none',
  })
  let op: Op
  beforeAll(async () => {
    op = await startOp({ clients: [client(), publicClient] })
  })
  afterAll(() => op.stop())

  const getConfidential = (): Partial<Parameters<typeof oidc>[0]> => {
    const { client_id: clientId, client_secret: clientSecret } = client()
    return { clientId, clientSecret: clientSecret as string }
  }

  /** Signs a user in who consents to offline access. */
  async function serveAtOp(
    over: Partial<Parameters<typeof oidc>[0]>,
  ): Promise<TestService<unknown> & { readonly storage: Storage; readonly browser: Browser }> {
    const provider = oidc({
      id: 'op',
      name: 'The provider',
      issuer: op.issuer,
      clientId: 'public',
      scope: 'openid profile email offline_access',
      params: { prompt: 'consent' },
      ...over,
    })
    const storage = memoryStorage()
    const service = serve({ providers: [provider], storage, timeouts: { callback: 5 } })
    const browser = service.browse()
    const url = await beginSignIn(browser, {}, '/signin/op')
    const last = await browser.follow(
      await browser.visit(url.href),
      (next) => next.origin === origin,
    )
    await browser.visit(last.headers.get('location') as string)
    return { ...service, storage, browser }
  }

  /** Returns whether the provider accepts an access token. */
  async function isAccepted(token: string | undefined): Promise<boolean> {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${op.issuer}/me`, { headers })).ok
  }

  test('that does not rotate refresh tokens returns new access tokens', async () => {
    const setup = await serveAtOp(getConfidential())
    const before = await getAccount(setup.storage, 'op')
    expect(await getToken(setup, setup.browser, 'op')).toBe(before.access_token)
    setup.wait(600)
    const token = await getToken(setup, setup.browser, 'op')
    expect(token).not.toBe(before.access_token)
    expect(await isAccepted(token)).toBe(true)
    const after = await getAccount(setup.storage, 'op')
    expect(after).toMatchObject({ access_token: token, refresh_token: before.refresh_token })
    expect(after.id_token).toBe(before.id_token)
  })

  test('that rotates refresh tokens never receives one twice', async () => {
    const setup = await serveAtOp({})
    const seen = new Set([(await getAccount(setup.storage, 'op')).refresh_token])
    for (let i = 0; i < 3; i++) {
      setup.wait(600)
      const tokens = await Promise.all(
        Array.from({ length: 20 }, () => getToken(setup, setup.browser, 'op')),
      )
      expect(new Set(tokens).size).toBe(1)
      expect(await isAccepted(tokens[0])).toBe(true)
      seen.add((await getAccount(setup.storage, 'op')).refresh_token)
    }
    expect(seen.size).toBe(4)
  })

  test('that has revoked the grant: OAuthSignin', async () => {
    const setup = await serveAtOp({})
    const { refresh_token } = await getAccount(setup.storage, 'op')
    setup.wait(600)
    await getToken(setup, setup.browser, 'op')
    // A used refresh token, as a thief would send it, makes the provider revoke the grant.
    const stolen = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refresh_token as string,
      client_id: 'public',
    })
    expect((await fetch(`${op.issuer}/token`, { method: 'POST', body: stolen })).status).toBe(400)
    setup.wait(600)
    const thrown = await getRejection(getToken(setup, setup.browser, 'op'))
    expect(thrown).toMatchObject({ code: 'OAuthSignin' })
    const logged = JSON.stringify(setup.lines)
    for (const token of [refresh_token, (await getAccount(setup.storage, 'op')).refresh_token]) {
      expect(logged).not.toContain(token)
    }
  })
})
