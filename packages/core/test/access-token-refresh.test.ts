import { AuthError } from '@latchkey/core'
import type { AuthConfig, Tokens } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { createTestClock } from '@latchkey/testing/clock'
import type { TestClock } from '@latchkey/testing/clock'
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
import { sleep } from '../src/lib/clock.ts'
import { createPageRequest, passport, serve, signIn } from './support/service.ts'

interface OnClock extends Omit<ExpiringTokens, 'wait'> {
  readonly clock: TestClock
  /** Advances the clock by some seconds. */
  readonly wait: (seconds: number) => Promise<void>
  /** Returns the access token for the signed-in browser. What waits takes no real time. */
  readonly getToken: () => Promise<string | undefined>
}

/** Serves a provider whose tokens expire after an hour, with a clock that stands still. */
async function serveOnClock(refresh?: Refresh, over: Partial<AuthConfig> = {}): Promise<OnClock> {
  const clock = createTestClock()
  const setup = await serveExpiringTokens(refresh, { ...over, runtime: clock.runtime })
  return {
    ...setup,
    clock,
    wait: (seconds) => clock.advance(seconds * 1000),
    getToken: () => clock.settle(getToken(setup, setup.browser)),
  }
}

describe('concurrent requests', () => {
  const getTokens = (
    { browser, clock }: OnClock,
    services: readonly Pick<ExpiringTokens, 'auth'>[],
  ): Promise<unknown[]> => {
    const calls = Array.from({ length: 50 }, (_, i) =>
      getToken(services[i % services.length]!, browser),
    )
    return clock.settle(Promise.all(calls))
  }

  test('refresh once and return the new token', async () => {
    const setup = await serveOnClock()
    await setup.wait(HOUR)
    expect(await getTokens(setup, [setup])).toEqual(Array(50).fill('access-1'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once if the refresh token stays the same', async () => {
    const setup = await serveOnClock(withoutRotation)
    await setup.wait(HOUR)
    expect(await getTokens(setup, [setup])).toEqual(Array(50).fill('access-1'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once in two processes with one storage', async () => {
    const setup = await serveOnClock()
    const { storage, provider, clock } = setup
    const other = serve({ providers: [provider], storage, runtime: clock.runtime })
    await setup.wait(HOUR)
    expect(await getTokens(setup, [setup, other])).toEqual(Array(50).fill('access-1'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once in two processes whose clocks differ by a minute', async () => {
    const slow: Refresh = async (tokens, _, runtime) => {
      await sleep(runtime, 200)
      return tokens
    }
    const setup = await serveOnClock(slow)
    const { storage, provider, browser, clock } = setup
    const now = (): number => clock.runtime.now() + 60_000
    const ahead = serve({ storage, providers: [provider], runtime: { ...clock.runtime, now } })
    await setup.wait(HOUR)
    const [first, second] = await clock.settle(
      Promise.all([getToken(setup, browser), getToken(ahead, browser)]),
    )
    expect(second).toBe(first)
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('of two users refresh once for each', async () => {
    const setup = await serveOnClock()
    const bob = setup.browse()
    await signIn(bob, 'bob')
    await setup.wait(HOUR)
    const calls = [setup.browser, bob].map((browser) => getToken(setup, browser))
    const tokens = await setup.clock.settle(Promise.all(calls))
    expect(new Set(tokens)).toEqual(new Set(['access-1', 'access-2']))
    expect(new Set(setup.refreshTokens)).toEqual(new Set(['refresh-0', 'refresh-new-0']))
    expect(setup.refreshTokens).toHaveLength(2)
  })

  test('return the token if the provider only extends its lifetime', async () => {
    const setup = await serveOnClock((tokens) => ({ ...tokens, access_token: 'access-0' }))
    await setup.wait(HOUR)
    expect(await getTokens(setup, [setup])).toEqual(Array(50).fill('access-0'))
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('refresh once during a slow refresh', async () => {
    let second: Promise<string | undefined> | undefined
    const setup: OnClock = await serveOnClock(
      async (tokens, _, runtime) => {
        await sleep(runtime, 31_000)
        second ??= getToken(setup, setup.browser)
        await sleep(runtime, 200)
        return tokens
      },
      { timeouts: { request: 60, callback: 60 } },
    )
    await setup.wait(HOUR)
    const first = await setup.getToken()
    expect(await setup.clock.settle(Promise.resolve(second))).toBe(first)
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('fail together if the refresh fails, with one request to the provider', async () => {
    const refuse = (): never => {
      throw new Error('invalid_grant')
    }
    const setup = await serveOnClock(refuse)
    await setup.wait(HOUR)
    const calls = Array.from({ length: 10 }, () => getRejection(getToken(setup, setup.browser)))
    const thrown = await setup.clock.settle(Promise.all(calls))
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
    const setup = await serveOnClock(withLifetime(seconds))
    await setup.wait(HOUR)
    expect(await setup.getToken()).toBe('access-1')
    await setup.wait(25)
    expect(await setup.getToken()).toMatch(/^access-[12]$/)
  })

  test('is unlimited if the provider does not send expires_in', async () => {
    const setup = await serveOnClock(withLifetime(undefined))
    await setup.wait(HOUR)
    const request = createPageRequest(setup.browser)
    const token = await setup.clock.settle(setup.auth.getAccessToken(request, 'passport'))
    expect(token).toEqual({
      accessToken: 'access-1',
      expiresAt: undefined,
      headers: new Headers(),
    })
    expect(await setup.getToken()).toBe('access-1')
    expect(setup.refreshTokens).toHaveLength(1)
  })

  test('of a previous token does not apply to the token of a new sign-in', async () => {
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
  const refusing = (): Promise<OnClock> => {
    const refuse = (_: Tokens, refreshToken: string): never => {
      throw new Error(`invalid_grant: ${refreshToken}`)
    }
    return serveOnClock(refuse)
  }

  test('is an AuthError OAuthSignin and keeps the stored tokens', async () => {
    const setup = await refusing()
    const before = await getAccount(setup.storage)
    await setup.wait(HOUR)
    const thrown = await getRejection(setup.getToken())
    expect(thrown).toBeInstanceOf(AuthError)
    expect(thrown).toMatchObject({ code: 'OAuthSignin', status: 502 })
    expect((thrown as Error).message).not.toContain('refresh-0')
    expect(await getAccount(setup.storage)).toEqual(before)
  })

  test('is not repeated immediately', async () => {
    const setup = await refusing()
    await setup.wait(HOUR)
    for (let i = 0; i < 3; i++) {
      expect(await getRejection(setup.getToken())).toMatchObject({
        code: 'OAuthSignin',
      })
    }
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('is repeated later, when the provider may be available again', async () => {
    let down = true
    const setup = await serveOnClock((tokens) => {
      if (down) throw new Error('the provider is not available')
      return tokens
    })
    await setup.wait(HOUR)
    await getRejection(setup.getToken())
    down = false
    await setup.wait(90)
    expect(await setup.getToken()).toBe('access-2')
  })

  test('keeps the session, and a new sign-in fixes it', async () => {
    const setup = await refusing()
    await setup.wait(HOUR)
    await getRejection(setup.getToken())
    expect(await setup.browser.json('/session')).toHaveProperty('user')
    await signIn(setup.browser)
    expect(await setup.getToken()).toBe('access-new-0')
  })

  test('logs no token', async () => {
    const setup = await refusing()
    await setup.wait(HOUR)
    await getRejection(setup.getToken())
    await setup.browser.json('/session')
    expectNoTokens(setup.lines)
  })
})

describe('during a refresh', () => {
  test('the tokens of a new sign-in take precedence', async () => {
    const setup: OnClock = await serveOnClock(async (tokens) => {
      await signIn(setup.browser)
      return tokens
    })
    await setup.wait(HOUR)
    const request = createPageRequest(setup.browser)
    const refreshed = setup.auth.getAccessToken(request, 'passport').catch(() => undefined)
    const token = await setup.clock.settle(refreshed)
    expect(token?.accessToken).toBe('access-new-0')
    expect(await getAccount(setup.storage)).toMatchObject({
      access_token: 'access-new-0',
      refresh_token: 'refresh-new-0',
    })
  })

  test('an unlinked account is not restored', async () => {
    const other = passport({ id: 'other', name: 'Other' })
    const setup: OnClock = await serveOnClock(async (tokens) => {
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
    await setup.wait(HOUR)
    const request = createPageRequest(setup.browser)
    expect(await setup.clock.settle(setup.auth.getAccessToken(request, 'passport'))).toBeNull()
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
