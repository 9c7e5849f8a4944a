import { AuthError } from '@latchkey/core'
import type { Tokens } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/core/testing/browser'
import { createTestClock } from '@latchkey/core/testing/clock'
import { describe, expect, test } from 'vitest'
import {
  createTokens,
  expectNoTokens,
  getAccount,
  getRejection,
  getToken,
  HOUR,
  serveExpiringTokens,
  withoutRotation,
} from './support/access-token.ts'
import type { ExpiringTokens, Refresh } from './support/access-token.ts'
import { createPageRequest, passport, serve, signIn } from './support/service.ts'

describe('concurrent requests', () => {
  const getTokens = (
    services: readonly Pick<ExpiringTokens, 'auth'>[],
    browser: Browser,
  ): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: 50 }, (_, i) => getToken(services[i % services.length]!, browser)),
    )

  test('refresh once and return the new token', async () => {
    const setup = await serveExpiringTokens()
    setup.wait(HOUR)
    expect(await getTokens([setup], setup.browser)).toEqual(Array(50).fill('access-1'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once if the refresh token stays the same', async () => {
    const setup = await serveExpiringTokens(withoutRotation)
    setup.wait(HOUR)
    expect(await getTokens([setup], setup.browser)).toEqual(Array(50).fill('access-1'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once in two processes with one storage', async () => {
    const setup = await serveExpiringTokens()
    const { storage, provider } = setup
    const other = serve({ providers: [provider], storage })
    setup.wait(HOUR)
    other.wait(HOUR)
    expect(await getTokens([setup, other], setup.browser)).toEqual(Array(50).fill('access-1'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once in two processes whose clocks differ by a minute', async () => {
    const slow: Refresh = async (tokens) => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      return tokens
    }
    const setup = await serveExpiringTokens(slow)
    const ahead = serve({ storage: setup.storage, providers: [setup.provider] })
    setup.wait(HOUR)
    ahead.wait(HOUR + 60)
    const [first, second] = await Promise.all([
      getToken(setup, setup.browser),
      getToken(ahead, setup.browser),
    ])
    expect(second).toBe(first)
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('of two users refresh once for each', async () => {
    const setup = await serveExpiringTokens()
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
    const setup = await serveExpiringTokens((tokens) => ({ ...tokens, access_token: 'access-0' }), {
      timeouts,
    })
    setup.wait(HOUR)
    expect(await getTokens([setup], setup.browser)).toEqual(Array(50).fill('access-0'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once during a slow refresh', async () => {
    let second: Promise<string | undefined> | undefined
    const setup: ExpiringTokens = await serveExpiringTokens(
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
    const setup = await serveExpiringTokens(refuse, { timeouts: { callback: 0.3 } })
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
    const setup = await serveExpiringTokens(withLifetime(seconds), { timeouts: { callback: 0.3 } })
    setup.wait(HOUR)
    expect(await getToken(setup, setup.browser)).toBe('access-1')
    setup.wait(25)
    expect(await getToken(setup, setup.browser)).toMatch(/^access-[12]$/)
  })

  test('is unlimited if the provider does not send expires_in', async () => {
    const setup = await serveExpiringTokens(withLifetime(undefined), {
      timeouts: { callback: 0.3 },
    })
    setup.wait(HOUR)
    const token = await setup.auth.getAccessToken(createPageRequest(setup.browser), 'passport')
    expect(token).toEqual({
      accessToken: 'access-1',
      expiresAt: undefined,
      headers: new Headers(),
    })
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
  const refusing = (): Promise<ExpiringTokens> => {
    const refuse = (_: Tokens, refreshToken: string): never => {
      throw new Error(`invalid_grant: ${refreshToken}`)
    }
    return serveExpiringTokens(refuse, { timeouts: { callback: 0.3 } })
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
    const setup = await serveExpiringTokens(
      (tokens) => {
        if (down) throw new Error('the provider is not available')
        return tokens
      },
      { timeouts: { callback: 0.3 } },
    )
    setup.wait(HOUR)
    await getRejection(getToken(setup, setup.browser))
    down = false
    setup.wait(90)
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
    const setup: ExpiringTokens = await serveExpiringTokens(async (tokens) => {
      await signIn(setup.browser)
      return tokens
    })
    setup.wait(HOUR)
    const request = createPageRequest(setup.browser)
    const token = await setup.auth.getAccessToken(request, 'passport').catch(() => undefined)
    expect(token?.accessToken).toBe('access-new-0')
    expect(await getAccount(setup.storage)).toMatchObject({
      access_token: 'access-new-0',
      refresh_token: 'refresh-new-0',
    })
  })

  test('an unlinked account is not restored', async () => {
    const other = passport({ id: 'other', name: 'Other' })
    const setup: ExpiringTokens = await serveExpiringTokens(async (tokens) => {
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
    expect(await setup.auth.getAccessToken(createPageRequest(setup.browser), 'passport')).toBeNull()
    expect(await setup.storage.getUserByAccount('passport', 'alice')).toBeUndefined()
  })
})

test('a custom provider that never responds does not hold a request (I-26)', async () => {
  const clock = createTestClock()
  const setup = await serveExpiringTokens(() => new Promise<never>(() => undefined), {
    runtime: clock.runtime,
  })
  await clock.advance(HOUR * 1000)
  const start = clock.runtime.monotonic()
  const outcome = await clock.settle(getRejection(getToken(setup, setup.browser)))
  expect(outcome).toMatchObject({ code: 'OAuthSignin' })
  expect(clock.runtime.monotonic() - start).toBe(13_000)
})
