import fc from 'fast-check'
import { oidc } from '@latchkey/core/providers/oidc'
import type { Tokens } from '@latchkey/core'
import { cookieAccessTokens } from '@latchkey/core/cookie-access-tokens'
import type { Browser } from '@latchkey/testing/browser'
import { createTestClock } from '@latchkey/testing/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createTokens,
  expectNoTokens,
  getRejection,
  getToken,
  HOUR,
} from './support/access-token.ts'
import {
  createRotatingProvider,
  getAccessToken,
  serveCookieTokens,
} from './support/cookie-access-tokens.ts'
import type { CookieTokens } from './support/cookie-access-tokens.ts'
import { sleep } from '../src/lib/clock.ts'
import type { SessionTokenKeeper, SessionTokens } from '../src/access-tokens/token-keeper.ts'
import { client, startOp } from './support/op.ts'
import type { Op } from './support/op.ts'
import {
  applyCookies,
  beginSignIn,
  createPageRequest,
  origin,
  passport,
  serve,
  signIn,
} from './support/service.ts'

const DAY = 86_400

describe('a refresh token in the session is used once per process', () => {
  test('by 200 concurrent requests', async () => {
    const setup = await serveCookieTokens()
    setup.wait(HOUR)
    const tokens = await Promise.all(
      Array.from({ length: 200 }, () => getAccessToken(setup, setup.browser)),
    )
    expect(new Set(tokens.map(({ accessToken }) => accessToken))).toEqual(
      new Set(['access-alice-1']),
    )
    for (const { headers } of tokens) expect(headers.getSetCookie()).toHaveLength(1)
    expect(setup.rotating.refreshTokens).toEqual(['refresh-alice-0'])
  })

  test('if the browser keeps its old cookie for days', async () => {
    const setup = await serveCookieTokens()
    const old = setup.browser
    for (let generation = 1; generation <= 60; generation++) {
      setup.wait(HOUR)
      expect(await getToken(setup, old)).toBe(`access-alice-${generation}`)
      expect(await getToken(setup, old)).toBe(`access-alice-${generation}`)
    }
    expect(new Set(setup.rotating.refreshTokens).size).toBe(60)
  })

  test('if browsers have cookies of different ages', async () => {
    const setup = await serveCookieTokens()
    const cookies = new Map(setup.browser.cookies)
    setup.wait(HOUR)
    applyCookies(setup.browser, (await getAccessToken(setup, setup.browser)).headers)
    setup.wait(HOUR)
    const [newer, older] = await Promise.all([
      getToken(setup, setup.browser),
      getToken(setup, { cookies } as Browser),
    ])
    expect([newer, older]).toEqual(['access-alice-2', 'access-alice-2'])
    expect(setup.rotating.refreshTokens).toEqual(['refresh-alice-0', 'refresh-alice-1'])
  })

  test('by a refresh that takes longer than other shared work may', async () => {
    const clock = createTestClock()
    const setup = await serveCookieTokens({ runtime: clock.runtime })
    setup.wait(HOUR)
    await clock.advance(HOUR * 1000)
    const { rotating } = setup
    const { refresh } = rotating
    const hasBegun = new Promise<void>((resolve) => {
      rotating.refresh = async (refreshToken) => {
        resolve()
        await sleep(clock.runtime, 12_000)
        return refresh(refreshToken)
      }
    })
    const tokens = [getToken(setup, setup.browser), getToken(setup, setup.browser)]
    await hasBegun
    expect(await clock.settle(Promise.all(tokens))).toEqual(['access-alice-1', 'access-alice-1'])
    expect(rotating.refreshTokens).toEqual(['refresh-alice-0'])
  })

  test('and the session is renewed with the newest tokens', async () => {
    const setup = await serveCookieTokens()
    setup.wait(2 * DAY)
    await getAccessToken(setup, setup.browser)
    await setup.browser.json('/session')
    expect(await getToken(setup.startProcess(), setup.browser)).toBe('access-alice-1')
    expect(setup.rotating.refreshTokens).toEqual(['refresh-alice-0'])
  })

  test('by each process: the second one needs the cookie of the first', async () => {
    const setup = await serveCookieTokens()
    const other = setup.startProcess()
    setup.wait(HOUR)
    const token = await getAccessToken(setup, setup.browser)
    expect(await getRejection(getToken(other, setup.browser))).toMatchObject({
      code: 'OAuthSignin',
    })
    applyCookies(setup.browser, token.headers)
    expect(await getToken(other, setup.browser)).toBe('access-alice-1')
  })

  test('again and again if the provider does not rotate it', async () => {
    const { refreshTokens, ...setup } = await serveWithoutRotation()
    for (const name of ['access-1', 'access-2', 'access-3']) {
      setup.wait(HOUR)
      expect(await getToken(setup, setup.browser)).toBe(name)
    }
    expect(refreshTokens).toEqual(['refresh-0', 'refresh-0', 'refresh-0'])
  })
})

/** Serves a provider whose refresh tokens stay the same. */
async function serveWithoutRotation(): Promise<
  ReturnType<typeof serve> & { readonly browser: Browser; readonly refreshTokens: string[] }
> {
  const refreshTokens: string[] = []
  let clock = Math.floor(Date.now() / 1000) + HOUR
  const provider = passport({
    identify: () => ({ tokens: createTokens('0', clock) }),
    refresh: async (refreshToken) => {
      refreshTokens.push(refreshToken)
      return { access_token: `access-${refreshTokens.length}`, expires_at: clock }
    },
  })
  const service = serve({
    providers: [provider],
    session: { accessTokens: cookieAccessTokens() },
  })
  const wait = (seconds: number): void => {
    clock += seconds
    service.wait(seconds)
  }
  const browser = service.browse()
  await signIn(browser)
  return { ...service, wait, browser, refreshTokens }
}

describe('a refresh that fails', () => {
  const refuse = (refreshToken: string): never => {
    throw new Error(`invalid_grant: ${refreshToken}`)
  }

  test('is OAuthSignin for all concurrent requests, with one request to the provider', async () => {
    const setup = await serveCookieTokens()
    setup.rotating.refresh = refuse
    setup.wait(HOUR)
    const thrown = await Promise.all(
      Array.from({ length: 20 }, () => getRejection(getToken(setup, setup.browser))),
    )
    for (const error of thrown) {
      expect(error).toMatchObject({ code: 'OAuthSignin' })
      expect((error as Error).message).not.toContain('refresh-')
    }
    expect(setup.rotating.refreshTokens).toEqual(['refresh-alice-0'])
    expectNoTokens(setup.lines)
  })

  test('is tried again after a minute, not before', async () => {
    const setup = await serveCookieTokens()
    const { rotating } = setup
    const { refresh } = rotating
    rotating.refresh = refuse
    setup.wait(HOUR)
    for (let seconds = 0; seconds < 60; seconds += 20) {
      expect(await getRejection(getToken(setup, setup.browser))).toMatchObject({
        code: 'OAuthSignin',
      })
      setup.wait(20)
    }
    expect(rotating.refreshTokens).toEqual(['refresh-alice-0'])
    rotating.refresh = refresh
    rotating.refreshTokens.length = 0
    expect(await getToken(setup, setup.browser)).toBe('access-alice-1')
  })

  test('sets no cookie, and leaves the session as it is', async () => {
    const setup = await serveCookieTokens()
    setup.rotating.refresh = refuse
    setup.wait(HOUR)
    await getRejection(getToken(setup, setup.browser))
    const { session, headers } = await setup.auth.getSession(createPageRequest(setup.browser))
    expect(session).not.toBeNull()
    expect(headers.getSetCookie()).toEqual([])
  })

  test('returns a token that is in its last minute', async () => {
    const setup = await serveCookieTokens()
    setup.rotating.refresh = refuse
    setup.wait(HOUR - 30)
    expect(await getToken(setup, setup.browser)).toBe('access-alice-0')
    setup.wait(31)
    expect(await getRejection(getToken(setup, setup.browser))).toMatchObject({
      code: 'OAuthSignin',
    })
  })

  test('because there is no refresh token, or the provider has no refresh()', async () => {
    const expires_at = Math.floor(Date.now() / 1000) - 1
    const { provider } = createRotatingProvider()
    for (const tokens of [{ access_token: 'over', expires_at }, createTokens('0', expires_at)]) {
      const over = passport({ identify: () => ({ tokens }) })
      const providers = [tokens.refresh_token === undefined ? { ...provider, ...over } : over]
      const setup = await serveCookieTokens({ providers })
      for (const attempt of [1, 2]) {
        const thrown = await getRejection(getToken(setup, setup.browser))
        expect(thrown, String(attempt)).toMatchObject({
          code: 'OAuthSignin',
          message: 'passport issued no refresh token',
        })
      }
    }
  })
})

/** One step of a user: the index of the user, and what happens. */
type Step = readonly [user: number, action: 'read' | 'append' | 'sign in' | 'wait' | 'restart']

/** Runs the steps of several users whose tokens, but for the account, are equal. */
async function runSteps(steps: readonly Step[], setup: CookieTokens): Promise<void> {
  const browsers = ['alice', 'bob', 'carol'].map((subject) => ({
    subject,
    browser: setup.browse(),
  }))
  let process: Pick<CookieTokens, 'auth'> = setup
  for (const { subject, browser } of browsers) await signIn(browser, subject)
  for (const [user, action] of steps) {
    const { subject, browser } = browsers[user]!
    if (action === 'sign in') await signIn(browser, subject)
    if (action === 'wait') setup.wait(HOUR)
    if (action === 'restart') process = setup.startProcess()
    const isRestarted = process !== setup
    const token = await getAccessToken(process, browser).catch((thrown: unknown) => {
      if (!isRestarted) throw thrown
      return undefined // The previous process had tokens that no browser has.
    })
    if (token) expect(token.accessToken).toMatch(new RegExp(`^access-${subject}-`))
    if (token && action === 'append') applyCookies(browser, token.headers)
  }
}

test('no cookie ever yields the tokens of another user', async () => {
  const action = fc.constantFrom<Step[1]>('read', 'append', 'sign in', 'wait', 'restart')
  const step = fc.tuple(fc.integer({ min: 0, max: 2 }), action)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await runSteps(steps, await serveCookieTokens())
    }),
    { numRuns: 25 },
  )
})

test('accounts whose tokens are equal do not share refreshed ones', async () => {
  let refreshes = 0
  const expires_at = Math.floor(Date.now() / 1000) + HOUR
  const provider = passport({
    identify: () => ({ tokens: createTokens('equal', expires_at) }),
    refresh: async () => createTokens(`new-${++refreshes}`, expires_at + HOUR),
  })
  const setup = await serveCookieTokens({ providers: [provider] })
  const bob = setup.browse()
  await signIn(bob, 'bob')
  setup.wait(HOUR)
  expect(await getToken(setup, setup.browser)).toBe('access-new-1')
  expect(await getToken(setup, bob)).toBe('access-new-2')
  expect(await getToken(setup, setup.browser)).toBe('access-new-1')
})

describe('what a process remembers', () => {
  const expires = 1000
  const clock = createTestClock().runtime
  const toTokens = (subject: number): SessionTokens => ({
    provider: 'passport',
    providerAccountId: String(subject),
    access_token: 'access',
    refresh_token: 'refresh',
  })
  const refresh = (keeper: SessionTokenKeeper, subject: number, now: number): Promise<unknown> => {
    const exchange = async (): Promise<Tokens> => ({ access_token: `new-${subject}` })
    return keeper.refresh(toTokens(subject), { exchange, now, expires, timeout: 1, clock })
  }
  const getNewest = async (keeper: SessionTokenKeeper, subject: number): Promise<string> =>
    (await keeper.getNewest(toTokens(subject))).access_token

  test('is at most 10,000 tokens: those used longest ago are forgotten', async () => {
    const keeper = cookieAccessTokens().createKeeper()
    // Each refresh is found by the previous tokens and by the new tokens.
    for (let subject = 0; subject < 5000; subject++) await refresh(keeper, subject, 0)
    expect(await getNewest(keeper, 0)).toBe('new-0')
    await refresh(keeper, 5000, 0)
    expect(await getNewest(keeper, 0)).toBe('new-0')
    expect(await getNewest(keeper, 1)).toBe('access')
    expect(await getNewest(keeper, 5000)).toBe('new-5000')
  })

  test('counts for a request that read the previous tokens before the refresh', async () => {
    const keeper = cookieAccessTokens().createKeeper()
    const first = await refresh(keeper, 0, 0)
    const exchange = (): never => {
      throw new Error('a second refresh')
    }
    const second = { exchange, now: 0, expires, timeout: 1, clock }
    expect(await keeper.refresh(toTokens(0), second)).toBe(first)
  })

  test('is forgotten once its session has ended', async () => {
    const keeper = cookieAccessTokens().createKeeper()
    await refresh(keeper, 0, 0)
    expect(await getNewest(keeper, 0)).toBe('new-0')
    await refresh(keeper, 1, expires)
    expect(await getNewest(keeper, 0)).toBe('access')
  })
})

describe('a real OpenID provider that rotates refresh tokens', () => {
  let op: Op
  beforeAll(async () => {
    const metadata = { client_id: 'public', client_secret: undefined }
    op = await startOp({ clients: [client({ ...metadata, token_endpoint_auth_method: 'none' })] })
  })
  afterAll(() => op.stop())

  /** Returns whether the provider accepts an access token. */
  async function isAccepted(token: string | undefined): Promise<boolean> {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${op.issuer}/me`, { headers })).ok
  }

  test('never receives one twice, and the cookie carries the tokens on', async () => {
    const provider = oidc({
      id: 'op',
      name: 'The provider',
      issuer: op.issuer,
      clientId: 'public',
      clientAuthentication: 'none',
      scope: 'openid profile email offline_access',
      params: { prompt: 'consent' },
    })
    const create = (): ReturnType<typeof serve> =>
      serve({ providers: [provider], session: { accessTokens: cookieAccessTokens() } })
    const service = create()
    const browser = service.browse()
    const url = await beginSignIn(browser, {}, '/signin/op')
    const page = await browser.visit(url.href)
    const last = await browser.follow(page, (next) => next.origin === origin)
    await browser.visit(last.headers.get('location') as string)
    const first = await getToken(service, browser, 'op')
    expect(await isAccepted(first)).toBe(true)
    const seen = new Set([first])
    for (let i = 0; i < 3; i++) {
      service.wait(600)
      const request = createPageRequest(browser)
      const tokens = await Promise.all(
        Array.from({ length: 20 }, () => service.auth.getAccessToken(request, 'op')),
      )
      expect(new Set(tokens.map((token) => token?.accessToken)).size).toBe(1)
      expect(await isAccepted(tokens[0]?.accessToken)).toBe(true)
      seen.add(tokens[0]?.accessToken)
      if (i === 1) applyCookies(browser, tokens[0]?.headers ?? new Headers())
    }
    expect(seen.size).toBe(4)
    const other = create()
    other.wait(1800)
    const { headers } = (await service.auth.getAccessToken(createPageRequest(browser), 'op')) ?? {}
    applyCookies(browser, headers ?? new Headers())
    expect(seen).toContain(await getToken(other, browser, 'op'))
  })
})
