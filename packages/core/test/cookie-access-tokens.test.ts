import type { AuthConfig, Storage, Tokens } from '@latchkey/core'
import { cookieAccessTokens } from '@latchkey/core/cookie-access-tokens'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { encode } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import { expectNoTokens, getToken, HOUR } from './support/access-token.ts'
import {
  createRotatingProvider,
  expectSessionCookie,
  getAccessToken,
  serveCookieTokens,
} from './support/cookie-access-tokens.ts'
import {
  applyCookies,
  createPageRequest,
  getConfigError,
  getRedirect,
  origin,
  passport,
  serve,
  signIn,
} from './support/service.ts'

const DAY = 86_400
const sessionCookie = '__Host-latchkey.session'

/** Creates a storage that keeps users and sessions, but changes no accounts. */
function createLesserStorage(): Storage {
  const capabilities = ['sessions', 'sessionData', 'sessionLists', 'increment'] as const
  return { ...memoryStorage(), capabilities }
}

describe('an access token in the session (I-46)', () => {
  test('is returned as it is while it is valid', async () => {
    const setup = await serveCookieTokens()
    expect(await getAccessToken(setup, setup.browser)).toEqual({
      accessToken: 'access-alice-0',
      expiresAt: expect.any(Number),
      headers: new Headers(),
    })
    setup.wait(HOUR - 120)
    expect((await getAccessToken(setup, setup.browser)).headers.getSetCookie()).toEqual([])
    expect(setup.rotating.refreshTokens).toEqual([])
  })

  test('changes no session after the option is removed', async () => {
    const runtime = { now: () => 1_900_000_000_000 }
    const keeping = serve({ runtime, session: { accessTokens: cookieAccessTokens() } })
    const browser = keeping.browse()
    await signIn(browser)
    expect(await getToken(keeping, browser)).toBe('access-token-of-the-person')
    const other = serve({ runtime }).browse()
    for (const [name, value] of browser.cookies) other.cookies.set(name, value)
    const response = await other.visit('/session')
    expect(await response.json()).toHaveProperty('user')
    expect(response.headers.getSetCookie()).toEqual([])
  })

  test('without expires_at is never refreshed', async () => {
    const identify = (): object => ({ tokens: { access_token: 'endless' } })
    const service = serve({
      providers: [passport({ identify })],
      session: { accessTokens: cookieAccessTokens() },
    })
    const browser = service.browse()
    await signIn(browser)
    service.wait(20 * DAY)
    expect(await getToken(service, browser)).toBe('endless')
  })

  test('is the token of the account that signed in, and null for any other account', async () => {
    const setup = await serveCookieTokens({
      providers: [createRotatingProvider().provider, passport({ id: 'other' })],
    })
    const get = async (provider: string, providerAccountId?: string): Promise<unknown> =>
      setup.auth.getAccessToken(
        createPageRequest(setup.browser),
        provider,
        providerAccountId === undefined ? {} : { providerAccountId },
      )
    expect(await get('passport', 'alice')).toHaveProperty('accessToken', 'access-alice-0')
    expect(await get('passport', 'bob')).toBeNull()
    expect(await get('other')).toBeNull()
  })

  test('is null without a session, and after the sign-out', async () => {
    const { auth, browser } = await serveCookieTokens()
    expect(await auth.getAccessToken(new Request(`${origin}/page`), 'passport')).toBeNull()
    await browser.submit('/signout')
    expect(await auth.getAccessToken(createPageRequest(browser), 'passport')).toBeNull()
  })

  test('is null if the provider issued none', async () => {
    const providers = [passport({ identify: () => ({ tokens: {} }) })]
    const setup = await serveCookieTokens({ providers })
    expect(await getToken(setup, setup.browser)).toBeUndefined()
  })

  test('is null for a session of a previous service (I-45)', async () => {
    const secret = 'the NEXTAUTH_SECRET of the application'
    const importFrom = [nextAuthV4({ secret, until: new Date(Date.now() + DAY * 1000) })]
    const { auth, browse } = await serveCookieTokens({ session: { importFrom } })
    const browser = browse()
    const token = { sub: 'passport:alice', accessToken: 'of the application' }
    browser.cookies.set('__Secure-next-auth.session-token', await encode({ token, secret }))
    for (const state of ['not imported', 'imported']) {
      expect(await auth.getAccessToken(createPageRequest(browser), 'passport'), state).toBeNull()
      expect(await browser.json('/session')).toHaveProperty('user')
    }
  })

  test('continues to be returned after renewals and updates of the session', async () => {
    const setup = await serveCookieTokens({ session: { update: ({ token }) => ({ ...token }) } })
    for (let days = 0; days < 40; days += 20) {
      setup.wait(20 * DAY)
      await setup.browser.json('/session')
    }
    await setup.browser.submit('/session', { data: 'blue' })
    expect(await getToken(setup, setup.browser)).toBe('access-alice-1')
    await setup.browser.submit('/session', { data: 'red' })
    expect(await getToken(setup.startProcess(), setup.browser)).toBe('access-alice-1')
  })

  test('is the token of the latest sign-in', async () => {
    const setup = await serveCookieTokens()
    await signIn(setup.browser)
    expect(await getToken(setup, setup.browser)).toBe('access-alice-1000')
    await signIn(setup.browser, 'bob')
    expect(await getToken(setup, setup.browser)).toBe('access-bob-0')
  })

  test('is dropped by a service without the option', async () => {
    const setup = await serveCookieTokens()
    const without = serve({ providers: [setup.rotating.provider] })
    const request = createPageRequest(setup.browser)
    await expect(without.auth.getAccessToken(request, 'passport')).rejects.toMatchObject({
      option: 'auth.getAccessToken',
      problem: 'needs the option storage',
    })
    without.wait(2 * DAY)
    applyCookies(setup.browser, (await without.auth.getSession(request)).headers)
    expect(await getToken(setup, setup.browser)).toBeUndefined()
  })

  test('works with a revocable session, and ends with it', async () => {
    const storage = createLesserStorage()
    const setup = await serveCookieTokens({
      storage,
      session: { strategy: 'cookie', revocable: true },
    })
    setup.wait(HOUR)
    const request = createPageRequest(setup.browser)
    expect(await getToken(setup, setup.browser)).toBe('access-alice-1')
    const { sub = '' } = (await setup.auth.getToken(request)) ?? {}
    const rows = await storage.listSessions(sub, 0)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toMatch(/access-|refresh-/)
    await setup.auth.sessions.revokeAll(sub)
    expect(await setup.auth.getAccessToken(request, 'passport')).toBeNull()
  })
})

describe('tokens are secret', () => {
  test('no client, callback or event receives them after the sign-in, and no log', async () => {
    const seen: unknown[] = []
    const see = (value: unknown): number => seen.push(value)
    const setup = await serveCookieTokens({
      callbacks: {
        jwt: ({ token, trigger }) => (trigger === 'renew' && see(token), { ...token }),
        session: (args) => (see(args), args.session),
      },
      events: { signIn: see, session: see, updateSession: see, signOut: see, createUser: see },
      session: { update: (args) => (see(args), args.token) },
    })
    setup.wait(2 * DAY)
    await getAccessToken(setup, setup.browser)
    see(await setup.browser.json('/session'))
    see(await (await setup.browser.submit('/session', { data: 'blue' })).json())
    see(await setup.auth.getSession(createPageRequest(setup.browser)))
    see(await setup.auth.getToken(createPageRequest(setup.browser)))
    await setup.browser.submit('/signout')
    expect(seen.length).toBeGreaterThan(8)
    expect(JSON.stringify(seen)).not.toMatch(/access-alice|refresh-alice/)
    expectNoTokens(setup.lines)
  })

  test('the cookie keeps nothing else of the account', async () => {
    const extra: Tokens = { id_token: 'i'.repeat(20_000), scope: 's'.repeat(20_000) }
    const { browser } = await serveCookieTokens({}, createRotatingProvider(extra))
    expect(browser.cookies.get(sessionCookie)?.length).toBeLessThan(1000)
  })
})

describe('the length of tokens', () => {
  const serveLong = (length: number): ReturnType<typeof serveCookieTokens> =>
    serveCookieTokens({}, createRotatingProvider({ access_token: 'a'.repeat(length) }))

  test('of three kilobytes splits the cookie (I-12)', async () => {
    const setup = await serveLong(3000)
    const parts = [...setup.browser.cookies.keys()].filter((name) => name.startsWith(sessionCookie))
    expect(parts).toEqual([`${sessionCookie}.0`, `${sessionCookie}.1`])
    expect(await getToken(setup, setup.browser)).toBe('a'.repeat(3000))
    setup.wait(HOUR)
    const { headers } = await getAccessToken(setup, setup.browser)
    applyCookies(setup.browser, headers)
    // The new tokens are short: the parts are deleted.
    const left = [...setup.browser.cookies.keys()].filter((name) => name.startsWith(sessionCookie))
    expect(left).toEqual([sessionCookie])
    expect(await getToken(setup.startProcess(), setup.browser)).toBe('access-alice-1')
  })

  test('of more than 8,000 characters refuses the sign-in, and the log says what to do', async () => {
    const { browser, lines, auth } = await serveLong(8001 - 'refresh-alice-0'.length)
    expect(browser.cookies.has(sessionCookie)).toBe(false)
    expect((await auth.getSession(createPageRequest(browser))).session).toBeNull()
    expect(lines.map(({ message }) => message)).toEqual([
      'session.accessTokens: passport: expected tokens of at most 8000 characters, found 8001: ' +
        'keep them in a storage, or request fewer scopes',
    ])
    expect(getRedirect(await signIn(browser))).toMatchObject({ error: 'Configuration' })
    const longest = await serveLong(8000 - 'refresh-alice-0'.length)
    expect(await getToken(longest, longest.browser)).toMatch(/^a+$/)
  })
})

describe('headers of a refreshed token', () => {
  test('carry it to other processes', async () => {
    const setup = await serveCookieTokens()
    setup.wait(HOUR)
    const token = await getAccessToken(setup, setup.browser)
    expect(token.accessToken).toBe('access-alice-1')
    expectSessionCookie(token.headers)
    applyCookies(setup.browser, token.headers)
    expect(await getAccessToken(setup.startProcess(), setup.browser)).toEqual({
      ...token,
      headers: new Headers(),
    })
    expect((await getAccessToken(setup, setup.browser)).headers.getSetCookie()).toEqual([])
    expect(setup.rotating.refreshTokens).toEqual(['refresh-alice-0'])
  })

  test('do not extend the session, and keep what it carries', async () => {
    const setup = await serveCookieTokens({ session: { maxAge: 2 * HOUR, updateAge: HOUR } })
    const before = await setup.auth.getSession(createPageRequest(setup.browser), { renew: false })
    setup.wait(HOUR)
    applyCookies(setup.browser, (await getAccessToken(setup, setup.browser)).headers)
    const after = await setup.auth.getSession(createPageRequest(setup.browser), { renew: false })
    expect(after).toEqual(before)
    setup.wait(HOUR)
    expect(await setup.auth.getToken(createPageRequest(setup.browser))).toBeNull()
  })

  test.each<[string, AuthConfig['session'] & object]>([
    ['a cookie', {}],
    ['a cookie, revocable', { strategy: 'cookie', revocable: true }],
  ])('that arrive after the sign-out do not bring %s back (I-37)', async (_, session) => {
    const storage = session.revocable ? { storage: createLesserStorage() } : {}
    const setup = await serveCookieTokens({ ...storage, session })
    setup.wait(HOUR)
    const { headers } = await getAccessToken(setup, setup.browser)
    await setup.browser.submit('/signout')
    applyCookies(setup.browser, headers)
    expect(setup.browser.cookies.has(sessionCookie)).toBe(true)
    const request = createPageRequest(setup.browser)
    expect(await setup.auth.getAccessToken(request, 'passport')).toBeNull()
    expect(await setup.browser.json('/session')).toEqual({})
  })

  test('that arrive after the sign-in of another user do not bring the session back (I-37)', async () => {
    const setup = await serveCookieTokens()
    setup.wait(HOUR)
    const { headers } = await getAccessToken(setup, setup.browser)
    await signIn(setup.browser, 'bob')
    applyCookies(setup.browser, headers)
    const request = createPageRequest(setup.browser)
    expect(await setup.auth.getAccessToken(request, 'passport')).toBeNull()
  })

  test('are set by GET /session and auth.getSession too, although no renewal is due', async () => {
    const reads = {
      'GET /session': async ({ auth }, request) =>
        (await auth.handle(new Request(`${origin}/api/auth/session`, request))).headers,
      'auth.getSession': async ({ auth }, request) => (await auth.getSession(request)).headers,
    } satisfies Record<
      string,
      (setup: Awaited<ReturnType<typeof serveCookieTokens>>, request: Request) => Promise<Headers>
    >
    for (const read of Object.values(reads)) {
      const setup = await serveCookieTokens()
      setup.wait(HOUR)
      const request = createPageRequest(setup.browser)
      expect((await read(setup, request)).getSetCookie()).toEqual([])
      await getAccessToken(setup, setup.browser)
      const headers = await read(setup, request)
      expectSessionCookie(headers)
      applyCookies(setup.browser, headers)
      expect(await getToken(setup.startProcess(), setup.browser)).toBe('access-alice-1')
      expect((await read(setup, createPageRequest(setup.browser))).getSetCookie()).toEqual([])
      expect(setup.rotating.refreshTokens).toEqual(['refresh-alice-0'])
    }
  })

  test('are omitted by a read that cannot set cookies', async () => {
    const setup = await serveCookieTokens()
    setup.wait(HOUR)
    await getAccessToken(setup, setup.browser)
    const request = createPageRequest(setup.browser)
    const { headers } = await setup.auth.getSession(request, { renew: false })
    expect(headers.getSetCookie()).toEqual([])
    const { headers: sent } = request
    const head = new Request(`${origin}/api/auth/session`, { method: 'HEAD', headers: sent })
    expect((await setup.auth.handle(head)).headers.getSetCookie()).toEqual([])
  })
})

describe('the option session.accessTokens is refused', () => {
  const accessTokens = cookieAccessTokens()
  test.each<[string, () => Partial<AuthConfig>, string]>([
    [
      'with sessions in the storage',
      () => ({ storage: createLesserStorage(), session: { accessTokens } }),
      'is for the strategy cookie',
    ],
    [
      'with a storage that keeps access tokens',
      () => ({ storage: memoryStorage(), session: { strategy: 'cookie', accessTokens } }),
      'must be left out: the storage keeps access tokens',
    ],
    [
      'if its function was not called',
      () => ({ session: { accessTokens: cookieAccessTokens as never } }),
      'must be cookieAccessTokens()',
    ],
    [
      'if it is a boolean',
      () => ({ session: { accessTokens: true as never } }),
      'must be cookieAccessTokens()',
    ],
  ])('%s', (_, config, problem) => {
    expect(getConfigError(config)).toEqual(['session.accessTokens', problem])
  })
})
