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
import { begin, idp, origin, passport, serve, signIn } from './support/service.ts'
import type { LogLine, TestService } from './support/service.ts'

const HOUR = 3600

/** A request of the application, with the cookies of a browser. */
function requestOf(browser: Browser): Request {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return new Request(`${origin}/page`, { headers: { cookie } })
}

/** The access token that an application gets for a browser's person. */
async function tokenFor(
  { auth }: { readonly auth: Pick<Auth, 'getAccessToken'> },
  browser: Browser,
  provider = 'passport',
): Promise<string | undefined> {
  return (await auth.getAccessToken(requestOf(browser), provider))?.accessToken
}

/** The account as stored. */
async function accountIn(
  storage: Storage,
  provider = 'passport',
  subject = 'alice',
): Promise<Account> {
  const user = await storage.getUserByAccount(provider, subject)
  const accounts = await storage.listAccounts(user?.id ?? '')
  const account = accounts.find((each) => each.provider === provider)
  if (!account) throw new Error('there is no such account')
  return account
}

/** What a promise is rejected with. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (thrown) {
    return thrown
  }
  throw new Error('it has not been rejected')
}

type Answer = (
  tokens: Tokens,
  refreshToken: string,
  effects: ProviderRuntime,
) => Tokens | Promise<Tokens>

interface Desk extends TestService<unknown> {
  readonly storage: Storage
  /** Each refresh token that the provider was shown. */
  readonly shown: string[]
  readonly provider: Provider
  /** Alice's browser, signed in. */
  readonly browser: Browser
}

/**
 * A service whose provider gives tokens for an hour and refreshes them: the n-th refresh gives
 * `access-n` and, as it rotates, `refresh-n`; `answer` changes that.
 */
async function open(
  answer: Answer = (tokens) => tokens,
  over: Partial<AuthConfig> = {},
): Promise<Desk> {
  const shown: string[] = []
  const storage = over.storage ?? memoryStorage()
  const inAnHour = (milliseconds: number): number => Math.floor(milliseconds / 1000) + HOUR
  let signedIn = 0
  const provider = passport({
    identify: () => ({ tokens: tokensOf(`${signedIn++ === 0 ? '' : 'new-'}0`, clock()) }),
    refresh: async (refreshToken, effects) => {
      shown.push(refreshToken)
      const tokens = tokensOf(String(shown.length), inAnHour(effects.now()))
      // Somebody else has time to come in between.
      await new Promise((resolve) => setTimeout(resolve, 20))
      return answer(tokens, refreshToken, effects)
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
  return { ...service, wait, storage, shown, provider, browser }
}

function tokensOf(name: string, expires_at: number): Tokens {
  return {
    access_token: `access-${name}`,
    refresh_token: `refresh-${name}`,
    token_type: 'bearer',
    scope: 'read',
    expires_at,
  }
}

/** The provider gives a new access token alone. */
const withoutRotation: Answer = (given) => {
  const { refresh_token: _, ...tokens } = given
  return tokens
}

/** No line holds anything that `tokensOf` has made. */
function expectNoTokens(lines: readonly LogLine[]): void {
  expect(JSON.stringify(lines)).not.toMatch(/access-|refresh-/)
}

describe('a token that is still good', () => {
  test('is given back as it is', async () => {
    const { auth, browser, shown } = await open()
    const token = await auth.getAccessToken(requestOf(browser), 'passport')
    expect(token).toEqual({ accessToken: 'access-0', expiresAt: expect.any(Number) })
    expect(shown).toEqual([])
  })

  test('of several accounts is the oldest one’s, or that of the one asked for', async () => {
    const desk = await open()
    const { auth, browser, storage } = desk
    const { providerAccountId, provider } = await accountIn(storage)
    const user = await storage.getUserByAccount(provider, providerAccountId)
    const work = { provider, type: 'oauth', providerAccountId: 'work', access_token: 'of-work' }
    await storage.linkAccount(user?.id ?? '', work)
    const tokenOf = async (wanted?: string): Promise<string | undefined> => {
      const options = wanted === undefined ? {} : { providerAccountId: wanted }
      return (await auth.getAccessToken(requestOf(browser), provider, options))?.accessToken
    }
    expect(await tokenOf('work')).toBe('of-work')
    expect(await tokenOf()).toBe(await tokenOf(providerAccountId))
    expect(await tokenOf()).not.toBe('of-work')
    expect(await tokenOf('nobody')).toBeUndefined()
  })

  test('without an end is good for ever', async () => {
    const tokens = { access_token: 'eternal' }
    const provider = passport({ identify: () => ({ tokens }) })
    const service = serve({ providers: [provider], storage: memoryStorage() })
    const browser = service.browse()
    await signIn(browser)
    service.wait(20 * 24 * HOUR)
    expect(await service.auth.getAccessToken(requestOf(browser), 'passport')).toEqual({
      accessToken: 'eternal',
      expiresAt: undefined,
    })
  })

  test('is refreshed a minute before it ends, for it has a way to go', async () => {
    const desk = await open()
    desk.wait(HOUR - 120)
    expect(await tokenFor(desk, desk.browser)).toBe('access-0')
    desk.wait(61)
    expect(await tokenFor(desk, desk.browser)).toBe('access-1')
  })
})

describe('a token that has expired', () => {
  test('is refreshed, and the new one is stored', async () => {
    const desk = await open()
    desk.wait(HOUR)
    const { expires_at = 0 } = await accountIn(desk.storage)
    const token = await desk.auth.getAccessToken(requestOf(desk.browser), 'passport')
    expect(token).toEqual({ accessToken: 'access-1', expiresAt: expect.any(Number) })
    expect(token?.expiresAt).toBeGreaterThan(expires_at + HOUR - 60)
    expect(await accountIn(desk.storage)).toEqual({
      provider: 'passport',
      type: 'oauth',
      providerAccountId: 'alice',
      ...tokensOf('1', token?.expiresAt ?? 0),
    })
    expect(await tokenFor(desk, desk.browser)).toBe('access-1')
    expect(desk.shown).toEqual(['refresh-0'])
  })

  test('is refreshed again and again: each time with the refresh token that came last', async () => {
    const desk = await open()
    for (const name of ['access-1', 'access-2', 'access-3']) {
      desk.wait(HOUR)
      expect(await tokenFor(desk, desk.browser)).toBe(name)
    }
    expect(desk.shown).toEqual(['refresh-0', 'refresh-1', 'refresh-2'])
  })

  test('is refreshed with the old refresh token where no new one has come', async () => {
    const desk = await open(withoutRotation)
    for (const name of ['access-1', 'access-2']) {
      desk.wait(HOUR)
      expect(await tokenFor(desk, desk.browser)).toBe(name)
    }
    expect(desk.shown).toEqual(['refresh-0', 'refresh-0'])
    expect((await accountIn(desk.storage)).refresh_token).toBe('refresh-0')
  })

  test('in its last minute is given back where it cannot be refreshed: it is good until its end', async () => {
    const expires_at = Math.floor(Date.now() / 1000) + 50
    const provider = passport({
      identify: () => ({ tokens: { access_token: 'brief', expires_at } }),
    })
    const service = serve({ providers: [provider], storage: memoryStorage() })
    const browser = service.browse()
    await signIn(browser)
    expect(await tokenFor(service, browser)).toBe('brief')
  })

  test('is gone for good without a refresh token: the person must sign in again', async () => {
    const expires_at = Math.floor(Date.now() / 1000) - 1
    const tokens = { access_token: 'over', expires_at }
    const { provider } = await open()
    const service = serve({
      providers: [{ ...provider, ...passport({ identify: () => ({ tokens }) }) }],
      storage: memoryStorage(),
    })
    const browser = service.browse()
    await signIn(browser)
    expect(await rejection(tokenFor(service, browser))).toMatchObject({ code: 'OAuthSignin' })
  })

  test('is gone for good where the provider cannot refresh', async () => {
    const tokens = tokensOf('0', Math.floor(Date.now() / 1000) - 1)
    const provider = passport({ identify: () => ({ tokens }) })
    const service = serve({ providers: [provider], storage: memoryStorage() })
    const browser = service.browse()
    await signIn(browser)
    expect(await rejection(tokenFor(service, browser))).toMatchObject({ code: 'OAuthSignin' })
  })

  test.each<AuthConfig['session'] & object>([
    { strategy: 'storage' },
    { strategy: 'cookie' },
    { strategy: 'cookie', revocable: true },
  ])('is refreshed with sessions of %j', async (session) => {
    const desk = await open(undefined, { session })
    desk.wait(HOUR)
    expect(await tokenFor(desk, desk.browser)).toBe('access-1')
    expect((await accountIn(desk.storage)).access_token).toBe('access-1')
  })

  test("is the person's own: another one's stays as it is", async () => {
    const desk = await open()
    const bob = desk.browse()
    await signIn(bob, 'bob')
    desk.wait(HOUR)
    expect(await tokenFor(desk, bob)).toBe('access-1')
    expect((await accountIn(desk.storage)).access_token).toBe('access-0')
  })
})

describe('many requests at once', () => {
  const times = (desks: readonly Pick<Desk, 'auth'>[], browser: Browser): Promise<unknown[]> =>
    Promise.all(Array.from({ length: 50 }, (_, i) => tokenFor(desks[i % desks.length]!, browser)))

  test('refresh once, and all get the new token', async () => {
    const desk = await open()
    desk.wait(HOUR)
    expect(await times([desk], desk.browser)).toEqual(Array(50).fill('access-1'))
    expect(desk.shown).toEqual(['refresh-0'])
  })

  test('refresh once where the refresh token stays the same', async () => {
    const desk = await open(withoutRotation)
    desk.wait(HOUR)
    expect(await times([desk], desk.browser)).toEqual(Array(50).fill('access-1'))
    expect(desk.shown).toEqual(['refresh-0'])
  })

  test('refresh once in two processes on one storage', async () => {
    const desk = await open()
    const { storage, provider } = desk
    const other = serve({ providers: [provider], storage })
    desk.wait(HOUR)
    other.wait(HOUR)
    expect(await times([desk, other], desk.browser)).toEqual(Array(50).fill('access-1'))
    expect(desk.shown).toEqual(['refresh-0'])
  })

  test('of two people refresh once for each', async () => {
    const desk = await open()
    const bob = desk.browse()
    await signIn(bob, 'bob')
    desk.wait(HOUR)
    const tokens = await Promise.all([tokenFor(desk, desk.browser), tokenFor(desk, bob)])
    expect(new Set(tokens)).toEqual(new Set(['access-1', 'access-2']))
    expect(new Set(desk.shown)).toEqual(new Set(['refresh-0', 'refresh-new-0']))
    expect(desk.shown).toHaveLength(2)
  })

  test('all get the token where the provider only gives it a longer life', async () => {
    const timeouts = { callback: 1 }
    const desk = await open((tokens) => ({ ...tokens, access_token: 'access-0' }), { timeouts })
    desk.wait(HOUR)
    expect(await times([desk], desk.browser)).toEqual(Array(50).fill('access-0'))
    expect(desk.shown).toEqual(['refresh-0'])
  })

  test('refresh once however long the refresh may take', async () => {
    let second: Promise<string | undefined> | undefined
    const desk: Desk = await open(
      async (tokens) => {
        desk.wait(31)
        second ??= tokenFor(desk, desk.browser)
        await new Promise((resolve) => setTimeout(resolve, 200))
        return tokens
      },
      { timeouts: { request: 60, callback: 60 } },
    )
    desk.wait(HOUR)
    const first = await tokenFor(desk, desk.browser)
    expect(await second).toBe(first)
    expect(desk.shown).toEqual(['refresh-0'])
  })

  test('all fail where the refresh fails, and the provider is asked once', async () => {
    const refuse = (): never => {
      throw new Error('invalid_grant')
    }
    const desk = await open(refuse, { timeouts: { callback: 0.3 } })
    desk.wait(HOUR)
    const thrown = await Promise.all(
      Array.from({ length: 10 }, () => rejection(tokenFor(desk, desk.browser))),
    )
    for (const each of thrown) expect(each).toMatchObject({ code: 'OAuthSignin' })
    expect(desk.shown).toEqual(['refresh-0'])
  })
})

describe('a short life of the tokens', () => {
  const withLife =
    (seconds: number | undefined): Answer =>
    (given) => {
      const { refresh_token: _, expires_at = 0, ...tokens } = given
      return seconds === undefined ? tokens : { ...tokens, expires_at: expires_at - HOUR + seconds }
    }

  test.each([60, 80])(
    'of %i seconds, with one refresh token for ever, is no reason to fail',
    async (seconds) => {
      const desk = await open(withLife(seconds), { timeouts: { callback: 0.3 } })
      desk.wait(HOUR)
      expect(await tokenFor(desk, desk.browser)).toBe('access-1')
      desk.wait(25)
      expect(await tokenFor(desk, desk.browser)).toMatch(/^access-[12]$/)
    },
  )

  test('that the provider does not tell is taken as none', async () => {
    const desk = await open(withLife(undefined), { timeouts: { callback: 0.3 } })
    desk.wait(HOUR)
    const token = await desk.auth.getAccessToken(requestOf(desk.browser), 'passport')
    expect(token).toEqual({ accessToken: 'access-1', expiresAt: undefined })
    expect(await tokenFor(desk, desk.browser)).toBe('access-1')
    expect(desk.shown).toHaveLength(1)
  })

  test('that is not told at a sign-in anew is not that of the former token', async () => {
    let tokens: Tokens = tokensOf('0', Math.floor(Date.now() / 1000) + HOUR)
    const provider = passport({ identify: () => ({ tokens }) })
    const service = serve({ providers: [provider], storage: memoryStorage() })
    const browser = service.browse()
    await signIn(browser)
    service.wait(HOUR)
    tokens = { access_token: 'eternal' }
    await signIn(browser)
    expect(await tokenFor(service, browser)).toBe('eternal')
  })
})

describe('a refresh that is refused', () => {
  const refusing = (): Promise<Desk> => {
    const refuse = (_: Tokens, refreshToken: string): never => {
      throw new Error(`invalid_grant: ${refreshToken}`)
    }
    return open(refuse, { timeouts: { callback: 0.3 } })
  }

  test('is an AuthError OAuthSignin, and the stored tokens stay', async () => {
    const desk = await refusing()
    const before = await accountIn(desk.storage)
    desk.wait(HOUR)
    const thrown = await rejection(tokenFor(desk, desk.browser))
    expect(thrown).toBeInstanceOf(AuthError)
    expect(thrown).toMatchObject({ code: 'OAuthSignin', status: 502 })
    expect((thrown as Error).message).not.toContain('refresh-0')
    expect(await accountIn(desk.storage)).toEqual(before)
  })

  test('is not tried again at once: the provider is not hammered', async () => {
    const desk = await refusing()
    desk.wait(HOUR)
    for (let i = 0; i < 3; i++) {
      expect(await rejection(tokenFor(desk, desk.browser))).toMatchObject({ code: 'OAuthSignin' })
    }
    expect(desk.shown).toEqual(['refresh-0'])
  })

  test('is tried again later, for the provider may have been down', async () => {
    let down = true
    const desk = await open(
      (tokens) => {
        if (down) throw new Error('the provider is down')
        return tokens
      },
      { timeouts: { callback: 0.3 } },
    )
    desk.wait(HOUR)
    await rejection(tokenFor(desk, desk.browser))
    down = false
    desk.wait(30)
    expect(await tokenFor(desk, desk.browser)).toBe('access-2')
  })

  test('ends no session, and a sign-in anew is all it takes', async () => {
    const desk = await refusing()
    desk.wait(HOUR)
    await rejection(tokenFor(desk, desk.browser))
    expect(await desk.browser.json('/session')).toHaveProperty('user')
    await signIn(desk.browser)
    expect(await tokenFor(desk, desk.browser)).toBe('access-new-0')
  })

  test('writes no token into the log', async () => {
    const desk = await refusing()
    desk.wait(HOUR)
    await rejection(tokenFor(desk, desk.browser))
    await desk.browser.json('/session')
    expectNoTokens(desk.lines)
  })
})

describe('a sign-in anew while a refresh is under way', () => {
  test('wins: what came with it is newer', async () => {
    const desk: Desk = await open(async (tokens) => {
      await signIn(desk.browser)
      return tokens
    })
    desk.wait(HOUR)
    const request = requestOf(desk.browser)
    const token = await desk.auth.getAccessToken(request, 'passport').catch(() => undefined)
    expect(token?.accessToken).toBe('access-new-0')
    expect(await accountIn(desk.storage)).toMatchObject({
      access_token: 'access-new-0',
      refresh_token: 'refresh-new-0',
    })
  })

  test('an account that is unlinked meanwhile does not come back', async () => {
    const other = passport({ id: 'other', name: 'Other' })
    const desk: Desk = await open(async (tokens) => {
      const user = await desk.storage.getUserByAccount('passport', 'alice')
      await desk.auth.accounts.unlink(user?.id ?? '', {
        provider: 'passport',
        providerAccountId: 'alice',
      })
      return tokens
    })
    const user = await desk.storage.getUserByAccount('passport', 'alice')
    await desk.storage.linkAccount(user?.id ?? '', {
      provider: other.id,
      type: 'oauth',
      providerAccountId: 'alice',
    })
    desk.wait(HOUR)
    expect(await desk.auth.getAccessToken(requestOf(desk.browser), 'passport')).toBeNull()
    expect(await desk.storage.getUserByAccount('passport', 'alice')).toBeUndefined()
  })
})

describe('nothing to give', () => {
  test('without a session is null', async () => {
    const { auth } = await open()
    expect(await auth.getAccessToken(new Request(`${origin}/page`), 'passport')).toBeNull()
  })

  test('after signing out is null', async () => {
    const desk = await open()
    await desk.browser.submit('/signout')
    expect(await desk.auth.getAccessToken(requestOf(desk.browser), 'passport')).toBeNull()
  })

  test('without an account at that provider is null', async () => {
    const other = passport({ id: 'other', name: 'Other' })
    const { auth, browse } = serve({ providers: [passport(), other], storage: memoryStorage() })
    const browser = browse()
    await signIn(browser)
    expect(await auth.getAccessToken(requestOf(browser), 'other')).toBeNull()
  })

  test('an unknown provider is a ConfigurationError that names it', async () => {
    const { auth, browser } = await open()
    for (const id of ['nobody', 'constructor', '']) {
      const thrown = await rejection(auth.getAccessToken(requestOf(browser), id))
      expect(thrown).toBeInstanceOf(ConfigurationError)
      expect((thrown as Error).message).toBe(`auth.getAccessToken: no provider is "${id}"`)
    }
  })

  test('without a storage is a ConfigurationError that says so', async () => {
    const { auth, browse } = serve()
    const browser = browse()
    await signIn(browser)
    const thrown = await rejection(auth.getAccessToken(requestOf(browser), 'passport'))
    expect(thrown).toBeInstanceOf(ConfigurationError)
    expect(thrown).toMatchObject({
      option: 'auth.getAccessToken',
      problem: 'needs the option storage',
    })
  })

  test.each(['accountLists', 'accountUpdates', 'increment'] as const)(
    'with a storage that is not capable of %s is a ConfigurationError that says so',
    async (lacking) => {
      const all = ['sessions', 'accountLists', 'accountUpdates', 'increment'] as const
      const capabilities = all.filter((each) => each !== lacking)
      const { auth, browser } = await open(undefined, {
        storage: { ...memoryStorage(), capabilities },
      })
      expect(await rejection(auth.getAccessToken(requestOf(browser), 'passport'))).toMatchObject({
        option: 'auth.getAccessToken',
        problem: `needs a storage with the capability ${lacking}`,
      })
    },
  )

  test('with a storage that fails is an AuthError Unavailable', async () => {
    const storage = memoryStorage()
    const desk = await open(undefined, {
      storage: { ...storage, listAccounts: () => Promise.reject(new Error('secret detail')) },
    })
    const thrown = await rejection(tokenFor(desk, desk.browser))
    expect(thrown).toMatchObject({ code: 'Unavailable', status: 503 })
    expect((thrown as Error).message).not.toContain('secret')
  })
})

/** A plain OAuth provider whose token endpoint the test answers, once the person is signed in. */
async function atForge(
  answer: (form: URLSearchParams) => Response | Promise<Response>,
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
  const tokens = tokensOf('0', Math.floor(Date.now() / 1000) + HOUR)
  const provider = { ...forge, ...passport({ identify: () => ({ tokens }) }) }
  const storage = memoryStorage()
  const service = serve({
    providers: [provider],
    storage,
    timeouts: { request: 0.2, callback: 0.4 },
    runtime: { fetch: async (_, { body }) => answer(body as URLSearchParams) },
    ...over,
  })
  const browser = service.browse()
  await signIn(browser)
  service.wait(HOUR)
  return { ...service, storage, browser }
}

describe('the token endpoint (RFC 6749 §6)', () => {
  test('is asked with the refresh token, and its answer is stored', async () => {
    const forms: Record<string, string>[] = []
    const forge = await atForge((form) => {
      forms.push(Object.fromEntries(form))
      return Response.json({ access_token: 'access-1', token_type: 'Bearer', expires_in: 600 })
    })
    expect(await tokenFor(forge, forge.browser)).toBe('access-1')
    expect(forms).toEqual([{ grant_type: 'refresh_token', refresh_token: 'refresh-0' }])
    const now = Date.now() / 1000 + HOUR
    const { expires_at = 0, ...account } = await accountIn(forge.storage)
    expect(account).toMatchObject({ access_token: 'access-1', refresh_token: 'refresh-0' })
    expect(Math.abs(expires_at - now - 600)).toBeLessThan(30)
  })

  test.each<[string, () => Response | Promise<Response>]>([
    [
      'refuses',
      () =>
        Response.json(
          { error: 'invalid_grant', error_description: 'refresh-0 is used up' },
          { status: 400 },
        ),
    ],
    ['is down', () => new Response('down for refresh-0', { status: 503 })],
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    ['speaks no JSON', () => new Response('refresh-0')],
    ['gives no token', () => Response.json({ token_type: 'Bearer' })],
    [
      'sends elsewhere',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.example/' } }),
    ],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('that %s: OAuthSignin, the tokens stay, and none stands in the log', async (_, answer) => {
    const forge = await atForge(answer)
    const before = await accountIn(forge.storage)
    const thrown = await rejection(tokenFor(forge, forge.browser))
    expect(thrown).toBeInstanceOf(AuthError)
    expect(thrown).toMatchObject({ code: 'OAuthSignin' })
    expect((thrown as Error).message).not.toContain('refresh-')
    expect(await accountIn(forge.storage)).toEqual(before)
    expectNoTokens(forge.lines)
  })
})

test('a provider of your own that hangs does not hold a request for ever (I-26)', async () => {
  const desk = await open(() => new Promise<never>(() => undefined), {
    timeouts: { callback: 0.3 },
  })
  desk.wait(HOUR)
  const stillWaiting = new Promise((resolve) => setTimeout(resolve, 3000, 'still waiting'))
  const outcome = rejection(tokenFor(desk, desk.browser))
  expect(await Promise.race([outcome, stillWaiting])).toMatchObject({ code: 'OAuthSignin' })
})

describe('a real OpenID provider', () => {
  const secretless = client({
    client_id: 'public',
    client_secret: undefined,
    token_endpoint_auth_method: 'none',
  })
  let op: Op
  beforeAll(async () => {
    op = await startOp({ clients: [client(), secretless] })
  })
  afterAll(() => op.stop())

  const confidential = (): Partial<Parameters<typeof oidc>[0]> => {
    const { client_id: clientId, client_secret: clientSecret } = client()
    return { clientId, clientSecret: clientSecret as string }
  }

  /** A person signed in at the provider, who has agreed to offline access. */
  async function atOp(
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
    const away = await begin(browser, {}, '/signin/op')
    const leaving = await browser.follow(
      await browser.visit(away.href),
      (url) => url.origin === origin,
    )
    await browser.visit(leaving.headers.get('location') as string)
    return { ...service, storage, browser }
  }

  /** Whether the provider takes an access token. */
  async function isGood(token: string | undefined): Promise<boolean> {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${op.issuer}/me`, { headers })).ok
  }

  test('that keeps its refresh token gives new access tokens for it', async () => {
    const desk = await atOp(confidential())
    const before = await accountIn(desk.storage, 'op')
    expect(await tokenFor(desk, desk.browser, 'op')).toBe(before.access_token)
    desk.wait(600)
    const token = await tokenFor(desk, desk.browser, 'op')
    expect(token).not.toBe(before.access_token)
    expect(await isGood(token)).toBe(true)
    const after = await accountIn(desk.storage, 'op')
    expect(after).toMatchObject({ access_token: token, refresh_token: before.refresh_token })
    expect(after.id_token).toBe(before.id_token)
  })

  test('that rotates its refresh tokens never sees one twice', async () => {
    const desk = await atOp({})
    const seen = new Set([(await accountIn(desk.storage, 'op')).refresh_token])
    for (let i = 0; i < 3; i++) {
      desk.wait(600)
      const tokens = await Promise.all(
        Array.from({ length: 20 }, () => tokenFor(desk, desk.browser, 'op')),
      )
      expect(new Set(tokens).size).toBe(1)
      expect(await isGood(tokens[0])).toBe(true)
      seen.add((await accountIn(desk.storage, 'op')).refresh_token)
    }
    expect(seen.size).toBe(4)
  })

  test('that has revoked everything: OAuthSignin, and the person signs in again', async () => {
    const desk = await atOp({})
    const { refresh_token } = await accountIn(desk.storage, 'op')
    desk.wait(600)
    await tokenFor(desk, desk.browser, 'op')
    // What a thief of the first refresh token would do: the provider revokes the whole grant.
    const stolen = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refresh_token as string,
      client_id: 'public',
    })
    expect((await fetch(`${op.issuer}/token`, { method: 'POST', body: stolen })).status).toBe(400)
    desk.wait(600)
    const thrown = await rejection(tokenFor(desk, desk.browser, 'op'))
    expect(thrown).toMatchObject({ code: 'OAuthSignin' })
    const logged = JSON.stringify(desk.lines)
    for (const token of [refresh_token, (await accountIn(desk.storage, 'op')).refresh_token]) {
      expect(logged).not.toContain(token)
    }
  })
})
