import type { AuthConfig, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { createTestClock } from '@latchkey/testing/clock'
import type { TestClock } from '@latchkey/testing/clock'
import { describe, expect, test } from 'vitest'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import {
  expectNoTokens,
  getAccount,
  getRejection,
  getToken,
  HOUR,
  serveExpiringTokens,
} from './support/access-token.ts'
import type { ExpiringTokens } from './support/access-token.ts'
import { createPageRequest, serve, signIn } from './support/service.ts'

/** Seconds for which other processes leave a refresh to this one. */
const LEASE = 86

interface Setup extends Omit<ExpiringTokens, 'wait'> {
  readonly clock: TestClock
  readonly wait: (seconds: number) => Promise<void>
  /** Returns the access token for the signed-in browser. What waits takes no real time. */
  readonly getToken: () => Promise<string | undefined>
  /** Makes the next calls of `updateAccount` fail; `down` makes every method fail. */
  readonly failures: { left: number; isDown: boolean; isHanging: boolean }
  /** The calls of `updateAccount`. */
  readonly updates: unknown[]
  /** Returns how many calls are scheduled. */
  readonly countScheduled: () => number
}

/** Serves tokens that have expired, and a storage that fails to store new ones. */
async function setUp(left: number, over: Partial<AuthConfig> = {}): Promise<Setup> {
  const clock = createTestClock()
  const failures = { left: 0, isDown: false, isHanging: false }
  const updates: unknown[] = []
  const scheduled = new Set<object>()
  const kept = memoryStorage()
  const updateAccount: Storage['updateAccount'] = async (...args) => {
    updates.push(args)
    if (failures.isHanging) return new Promise<never>(() => undefined)
    if (failures.left-- > 0) throw new Error('secret detail')
    return kept.updateAccount(...args)
  }
  const storage = wrapMethods(
    { ...kept, updateAccount },
    (method) =>
      (...args) =>
        failures.isDown ? Promise.reject(new Error('down')) : method(...args),
  )
  const schedule: TestClock['runtime']['schedule'] = (milliseconds, callback) => {
    const call = {}
    scheduled.add(call)
    const cancel = clock.runtime.schedule(milliseconds, () => {
      scheduled.delete(call)
      callback()
    })
    return () => {
      scheduled.delete(call)
      cancel()
    }
  }
  const runtime = { ...clock.runtime, schedule }
  const setup = await serveExpiringTokens(undefined, { storage, ...over, runtime })
  await clock.advance(HOUR * 1000)
  failures.left = left
  updates.splice(0)
  return {
    ...setup,
    clock,
    failures,
    updates,
    wait: (seconds) => clock.advance(seconds * 1000),
    getToken: () => clock.settle(getToken(setup, setup.browser)),
    countScheduled: () => scheduled.size,
  }
}

describe('refreshed tokens that cannot be stored (I-46)', () => {
  test.each([0, 1, 2, 5, 15])(
    'are stored once the storage works again, after %i failures',
    async (failures) => {
      const setup = await setUp(failures)
      expect(await setup.getToken()).toBe('access-1')
      await setup.wait(LEASE - 1)
      expect(await getAccount(setup.storage)).toMatchObject({
        access_token: 'access-1',
        refresh_token: 'refresh-1',
      })
      expect(setup.updates).toHaveLength(failures + 1)
      expect(setup.countScheduled()).toBe(0)
      // The next refresh uses the stored one.
      await setup.wait(HOUR)
      expect(await setup.getToken()).toBe('access-2')
      expect(setup.refreshTokens).toEqual(['refresh-0', 'refresh-1'])
      expectNoTokens(setup.lines)
      const logged = setup.lines.filter(({ level }) => level === 'error')
      expect(logged.map(({ message }) => message)).toEqual(
        failures > 0 ? ['refreshed tokens are not stored yet'] : [],
      )
    },
  )

  test('are held for the readers of this process', async () => {
    const setup = await setUp(10)
    const calls = Array.from({ length: 20 }, () => getToken(setup, setup.browser))
    expect(await setup.clock.settle(Promise.all(calls))).toEqual(Array(20).fill('access-1'))
    expect((await getAccount(setup.storage)).access_token).toBe('access-0')
    await setup.wait(3)
    expect(await setup.getToken()).toBe('access-1')
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('are held for no other account, even if it has the same tokens', async () => {
    const setup = await setUp(0)
    const bob = setup.browse()
    // The provider issues the same tokens to both.
    await signIn(bob, 'bob')
    const {
      access_token = '',
      refresh_token = '',
      expires_at = 0,
    } = await getAccount(setup.storage)
    const tokens = { access_token, refresh_token, expires_at }
    await setup.storage.updateAccount('passport', 'bob', tokens)
    setup.failures.left = 20
    expect(await setup.getToken()).toBe('access-1')
    expect(await setup.clock.settle(getToken(setup, bob))).toBe('access-2')
  })

  test('are used by another process as soon as they are stored, and not refreshed before', async () => {
    const setup = await setUp(4)
    const { storage, provider, browser, clock } = setup
    const other = serve({ storage, providers: [provider], runtime: clock.runtime })
    const first = getToken(setup, browser)
    const second = getToken(other, browser)
    expect(await clock.settle(Promise.all([first, second]))).toEqual(['access-1', 'access-1'])
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('survive a storage that fails altogether', async () => {
    const setup = await setUp(0)
    const refreshed = getToken(setup, setup.browser)
    while (setup.refreshTokens.length === 0) await new Promise((resolve) => setTimeout(resolve))
    setup.failures.isDown = true
    expect(await setup.clock.settle(refreshed)).toBe('access-1')
    await setup.wait(30)
    expect(await getRejection(setup.getToken())).toMatchObject({ code: 'Unavailable' })
    setup.failures.isDown = false
    await setup.wait(10)
    expect(await setup.getToken()).toBe('access-1')
    expect((await getAccount(setup.storage)).refresh_token).toBe('refresh-1')
    expect(setup.refreshTokens).toEqual(['refresh-0'])
  })

  test('do not hold the request longer than one call of the storage', async () => {
    const setup = await setUp(0)
    setup.failures.isHanging = true
    const start = setup.clock.runtime.monotonic()
    expect(await setup.getToken()).toBe('access-1')
    expect(setup.clock.runtime.monotonic() - start).toBeLessThanOrEqual(10_100)
    setup.failures.isHanging = false
    await setup.wait(20)
    expect((await getAccount(setup.storage)).access_token).toBe('access-1')
  })

  test('are given up when the lease ends, and nothing of them is kept', async () => {
    const setup = await setUp(Infinity)
    const { monotonic } = setup.clock.runtime
    const end = monotonic() + LEASE * 1000
    expect(await setup.getToken()).toBe('access-1')
    await setup.wait((end - monotonic()) / 1000 - 1)
    // Without `settle`: nothing waits, and no time must pass.
    expect(await getToken(setup, setup.browser)).toBe('access-1')
    await setup.wait(10)
    expect(setup.countScheduled()).toBe(0)
    expect(setup.updates.length).toBeGreaterThan(10)
    expect(setup.updates.length).toBeLessThan(30)
    expect(setup.lines.at(-1)).toMatchObject({
      level: 'error',
      message: 'refreshed tokens were lost: the user must sign in again',
      details: { error: 'Unavailable', provider: 'passport' },
    })
    expectNoTokens(setup.lines)
    // The stored refresh token is tried again, as after a process that died.
    setup.failures.left = 0
    expect(await setup.getToken()).toBe('access-2')
    expect(setup.refreshTokens).toEqual(['refresh-0', 'refresh-0'])
  })

  test('do not replace the tokens of a sign-in meanwhile', async () => {
    const setup = await setUp(3)
    expect(await setup.getToken()).toBe('access-1')
    setup.failures.left = 0
    await signIn(setup.browser)
    expect(await setup.getToken()).toBe('access-new-0')
    await setup.wait(LEASE)
    expect(await getAccount(setup.storage)).toMatchObject({
      access_token: 'access-new-0',
      refresh_token: 'refresh-new-0',
    })
    expect(setup.countScheduled()).toBe(0)
  })

  test('do not restore an account that was unlinked meanwhile, and its user gets none', async () => {
    const setup = await setUp(3)
    expect(await setup.getToken()).toBe('access-1')
    const user = await setup.storage.getUserByAccount('passport', 'alice')
    const other = { provider: 'other', type: 'oauth', providerAccountId: 'alice' }
    await setup.storage.linkAccount(user?.id ?? '', other)
    await setup.storage.unlinkAccount(user?.id ?? '', 'passport', 'alice')
    expect(await setup.getToken()).toBeUndefined()
    await setup.wait(LEASE)
    expect(await setup.storage.getUserByAccount('passport', 'alice')).toBeUndefined()
    expect(setup.countScheduled()).toBe(0)
  })

  test('are not given to a session that has ended', async () => {
    const setup = await setUp(10)
    expect(await setup.getToken()).toBe('access-1')
    const request = createPageRequest(setup.browser)
    await setup.clock.settle(setup.browser.submit('/signout'))
    expect(await setup.clock.settle(setup.auth.getAccessToken(request, 'passport'))).toBeNull()
  })

  test('that expire while they are held are not returned', async () => {
    const clock = createTestClock()
    const kept = memoryStorage()
    const updateAccount: Storage['updateAccount'] = async () => Promise.reject(new Error('down'))
    const short = ({ expires_at = 0, ...tokens }): object => ({
      ...tokens,
      expires_at: expires_at - HOUR + 30,
    })
    const storage = { ...kept, updateAccount }
    const setup = await serveExpiringTokens(short, { storage, runtime: clock.runtime })
    await clock.advance(HOUR * 1000)
    expect(await clock.settle(getToken(setup, setup.browser))).toBe('access-1')
    await clock.advance(31_000)
    const refused = clock.settle(getRejection(getToken(setup, setup.browser)))
    expect(await refused).toMatchObject({ code: 'OAuthSignin' })
  })
})

describe('waitUntil', () => {
  test('is given the work that stores the tokens, if the storage fails at first', async () => {
    for (const failures of [0, 3]) {
      const setup = await setUp(failures)
      const works: Promise<unknown>[] = []
      const waitUntil = (work: Promise<unknown>): void => void works.push(work)
      const request = createPageRequest(setup.browser)
      const got = setup.auth.getAccessToken(request, 'passport', { waitUntil })
      expect((await setup.clock.settle(got))?.accessToken).toBe('access-1')
      expect(works).toHaveLength(failures > 0 ? 1 : 0)
      await setup.clock.settle(Promise.all(works))
      expect((await getAccount(setup.storage)).access_token).toBe('access-1')
    }
  })

  test('that throws changes nothing', async () => {
    const setup = await setUp(3)
    const request = createPageRequest(setup.browser)
    const waitUntil = (): never => {
      throw new Error('too late')
    }
    const got = setup.auth.getAccessToken(request, 'passport', { waitUntil })
    expect((await setup.clock.settle(got))?.accessToken).toBe('access-1')
    await setup.wait(10)
    expect((await getAccount(setup.storage)).access_token).toBe('access-1')
    expect(setup.lines.map(({ message }) => message)).toContain('waitUntil threw')
  })
})
