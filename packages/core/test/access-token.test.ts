import { ConfigurationError } from '@latchkey/core'
import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { describe, expect, test } from 'vitest'
import {
  createTokens,
  getAccount,
  getRejection,
  getToken,
  HOUR,
  serveExpiringTokens,
  withoutRotation,
} from './support/access-token.ts'
import { createPageRequest, origin, passport, serve, signIn } from './support/service.ts'

describe('a valid token', () => {
  test('is returned as it is', async () => {
    const { auth, browser, refreshTokens } = await serveExpiringTokens()
    const token = await auth.getAccessToken(createPageRequest(browser), 'passport')
    expect(token).toEqual({
      accessToken: 'access-0',
      expiresAt: expect.any(Number),
      headers: new Headers(),
    })
    expect(refreshTokens).toEqual([])
  })

  test('of several accounts is the token of the oldest account, or of the requested account', async () => {
    const setup = await serveExpiringTokens()
    const { auth, browser, storage } = setup
    const { providerAccountId, provider } = await getAccount(storage)
    const user = await storage.getUserByAccount(provider, providerAccountId)
    const work = { provider, type: 'oauth', providerAccountId: 'work', access_token: 'of-work' }
    await storage.linkAccount(user?.id ?? '', work)
    const getTokenOf = async (accountId?: string): Promise<string | undefined> => {
      const options = accountId === undefined ? {} : { providerAccountId: accountId }
      return (await auth.getAccessToken(createPageRequest(browser), provider, options))?.accessToken
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
    expect(await service.auth.getAccessToken(createPageRequest(browser), 'passport')).toEqual({
      accessToken: 'endless',
      expiresAt: undefined,
      headers: new Headers(),
    })
  })

  test('is refreshed a minute before it expires', async () => {
    const setup = await serveExpiringTokens()
    setup.wait(HOUR - 120)
    expect(await getToken(setup, setup.browser)).toBe('access-0')
    setup.wait(61)
    expect(await getToken(setup, setup.browser)).toBe('access-1')
  })
})

describe('an expired token', () => {
  test('is refreshed, and the new one is stored', async () => {
    const setup = await serveExpiringTokens()
    setup.wait(HOUR)
    const { expires_at = 0 } = await getAccount(setup.storage)
    const token = await setup.auth.getAccessToken(createPageRequest(setup.browser), 'passport')
    expect(token).toEqual({
      accessToken: 'access-1',
      expiresAt: expect.any(Number),
      headers: new Headers(),
    })
    expect(token?.expiresAt).toBeGreaterThan(expires_at + HOUR - 60)
    expect(await getAccount(setup.storage)).toEqual({
      provider: 'passport',
      type: 'oauth',
      providerAccountId: 'alice',
      createdAt: expect.any(Number),
      lastUsedAt: expect.any(Number),
      ...createTokens('1', token?.expiresAt ?? 0),
    })
    expect(await getToken(setup, setup.browser)).toBe('access-1')
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('is refreshed each time with the newest refresh token', async () => {
    const setup = await serveExpiringTokens()
    for (const name of ['access-1', 'access-2', 'access-3']) {
      setup.wait(HOUR)
      expect(await getToken(setup, setup.browser)).toBe(name)
    }
    expect(setup.refreshTokens).toEqual(['refresh-0', 'refresh-1', 'refresh-2'])
  })

  test('is refreshed with the same refresh token if the provider does not rotate it', async () => {
    const setup = await serveExpiringTokens(withoutRotation)
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
    const { provider } = await serveExpiringTokens()
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
    const setup = await serveExpiringTokens(undefined, { session })
    setup.wait(HOUR)
    expect(await getToken(setup, setup.browser)).toBe('access-1')
    expect((await getAccount(setup.storage)).access_token).toBe('access-1')
  })

  test('is refreshed for its user only', async () => {
    const setup = await serveExpiringTokens()
    const bob = setup.browse()
    await signIn(bob, 'bob')
    setup.wait(HOUR)
    expect(await getToken(setup, bob)).toBe('access-1')
    expect((await getAccount(setup.storage)).access_token).toBe('access-0')
  })
})

describe('no access token', () => {
  test('is null without a session', async () => {
    const { auth } = await serveExpiringTokens()
    expect(await auth.getAccessToken(new Request(`${origin}/page`), 'passport')).toBeNull()
  })

  test('is null after sign-out', async () => {
    const setup = await serveExpiringTokens()
    await setup.browser.submit('/signout')
    expect(await setup.auth.getAccessToken(createPageRequest(setup.browser), 'passport')).toBeNull()
  })

  test('is null without an account at the provider', async () => {
    const other = passport({ id: 'other', name: 'Other' })
    const { auth, browse } = serve({ providers: [passport(), other], storage: memoryStorage() })
    const browser = browse()
    await signIn(browser)
    expect(await auth.getAccessToken(createPageRequest(browser), 'other')).toBeNull()
  })

  test('is a ConfigurationError for an unknown provider', async () => {
    const { auth, browser } = await serveExpiringTokens()
    for (const id of ['unknown', 'constructor', '']) {
      const thrown = await getRejection(auth.getAccessToken(createPageRequest(browser), id))
      expect(thrown).toBeInstanceOf(ConfigurationError)
      expect((thrown as Error).message).toBe(`auth.getAccessToken: no provider is "${id}"`)
    }
  })

  test('is a ConfigurationError without a storage', async () => {
    const { auth, browse } = serve()
    const browser = browse()
    await signIn(browser)
    const thrown = await getRejection(auth.getAccessToken(createPageRequest(browser), 'passport'))
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
      const { auth, browser } = await serveExpiringTokens(undefined, {
        storage: { ...memoryStorage(), capabilities },
      })
      expect(
        await getRejection(auth.getAccessToken(createPageRequest(browser), 'passport')),
      ).toMatchObject({
        option: 'auth.getAccessToken',
        problem: `needs a storage with the capability ${lacking}`,
      })
    },
  )

  test('is an AuthError Unavailable if the storage fails', async () => {
    const storage = memoryStorage()
    const setup = await serveExpiringTokens(undefined, {
      storage: { ...storage, listAccounts: () => Promise.reject(new Error('secret detail')) },
    })
    const thrown = await getRejection(getToken(setup, setup.browser))
    expect(thrown).toMatchObject({ code: 'Unavailable', status: 503 })
    expect((thrown as Error).message).not.toContain('secret')
  })
})
