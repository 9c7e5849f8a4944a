import { AuthError, ConfigurationError } from '@latchkey/core'
import { createTestClock } from '@latchkey/core/testing'
import { passwordRules, queued } from '@latchkey/passwords'
import type { PasswordHasher, QueuedHasher } from '@latchkey/passwords'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createWork } from '../src/work.ts'

/** A hasher whose hashes end when the test says so. */
function createSlowHasher(): PasswordHasher & {
  /** Passwords whose hash is computed, in the order in which that began. */
  readonly begun: string[]
  /** Ends the oldest hash. */
  readonly endOne: (error?: Error) => void
} {
  const begun: string[] = []
  const ends: ((error?: Error) => void)[] = []
  const compute = <T>(password: string, result: T): Promise<T> => {
    begun.push(password)
    return new Promise((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve(result)))
    })
  }
  return {
    begun,
    endOne: (error) => ends.shift()?.(error),
    hash: (password) => compute(password, `hash of ${password}`),
    verify: (password, hash) => compute(password, hash === `hash of ${password}`),
    needsRehash: (hash) => hash === 'old',
  }
}

interface Setup {
  readonly slow: ReturnType<typeof createSlowHasher>
  readonly hasher: QueuedHasher
  readonly clock: ReturnType<typeof createTestClock>
}

function setUp(cores: number): Setup {
  const [slow, clock] = [createSlowHasher(), createTestClock()]
  return { slow, clock, hasher: queued(slow, { cores, clock: clock.runtime }) }
}

test('returns what the hasher returns', async () => {
  const { slow, hasher } = setUp(4)
  const results = Promise.all([
    hasher.hash('a'),
    hasher.verify('a', 'hash of a'),
    hasher.verify('a', 'x'),
  ])
  await expect.poll(() => slow.begun).toHaveLength(3)
  for (let i = 0; i < 3; i++) slow.endOne()
  expect(await results).toEqual(['hash of a', true, false])
  expect([hasher.needsRehash('old'), hasher.needsRehash('new')]).toEqual([true, false])
})

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [8, 7],
])('with %d cores %d hashes run simultaneously', async (cores, limit) => {
  const { slow, hasher, clock } = setUp(cores)
  const hashes = Array.from({ length: limit + 2 }, (_, i) => hasher.hash(`${i}`))
  await clock.advance(0)
  expect(slow.begun).toHaveLength(limit)
  slow.endOne()
  await clock.advance(0)
  expect(slow.begun).toHaveLength(limit + 1)
  for (let i = 0; i <= limit; i++) {
    slow.endOne()
    await clock.advance(0)
  }
  expect(await Promise.all(hashes)).toHaveLength(limit + 2)
})

test('other work shares the queue', async () => {
  const { slow, hasher, clock } = setUp(2)
  const hash = hasher.hash('a')
  const work = hasher.run(async () => {
    slow.begun.push('work')
    return 42
  })
  await clock.advance(0)
  expect(slow.begun).toEqual(['a'])
  slow.endOne()
  expect(await work).toBe(42)
  expect(await hash).toBe('hash of a')
})

test('a hash that fails gives its place to the next one', async () => {
  const { slow, hasher, clock } = setUp(2)
  const [first, second] = [hasher.hash('a'), hasher.hash('b')]
  await clock.advance(0)
  slow.endOne(new Error('out of memory'))
  await expect(first).rejects.toThrow('out of memory')
  expect(slow.begun).toEqual(['a', 'b'])
  slow.endOne()
  expect(await second).toBe('hash of b')
})

test('known callers come first, and each kind in its order', async () => {
  const { slow, hasher, clock } = setUp(2)
  const known = { isKnown: true }
  const hashes = [hasher.hash('running'), hasher.hash('1'), hasher.hash('2', { isKnown: false })]
  hashes.push(hasher.hash('known 1', known), hasher.hash('3'), hasher.hash('known 2', known))
  for (let i = 0; i < hashes.length; i++) {
    await clock.advance(0)
    slow.endOne()
  }
  await Promise.all(hashes)
  expect(slow.begun).toEqual(['running', 'known 1', 'known 2', '1', '2', '3'])
})

describe('a caller who waits too long', () => {
  test.each([{ isKnown: false }, { isKnown: true }])(
    'gets 503 after five seconds: %j',
    async (caller) => {
      const { slow, hasher, clock } = setUp(2)
      const running = hasher.hash('running')
      await clock.advance(1000)
      let thrown: unknown
      const waiting = hasher.verify('late', 'x', caller).catch((error: unknown) => (thrown = error))
      await clock.advance(4999)
      expect(thrown).toBeUndefined()
      await clock.advance(1)
      await waiting
      expect(thrown).toBeInstanceOf(AuthError)
      expect(thrown).toMatchObject({ code: 'Unavailable', status: 503, retryAfter: 5 })
      expect(thrown).toHaveProperty(
        'message',
        'the hash of a password did not begin within 5 seconds',
      )
      slow.endOne()
      expect(await running).toBe('hash of running')
      expect(slow.begun).toEqual(['running'])
    },
  )

  test('takes no place, and no time from the next one', async () => {
    const { slow, hasher, clock } = setUp(2)
    const running = hasher.hash('running')
    const late = expect(hasher.hash('late')).rejects.toMatchObject({ code: 'Unavailable' })
    await clock.advance(3000)
    const next = hasher.hash('next')
    await clock.advance(2000)
    await late
    slow.endOne()
    await clock.advance(0)
    expect(slow.begun).toEqual(['running', 'next'])
    slow.endOne()
    expect(await Promise.all([running, next])).toEqual(['hash of running', 'hash of next'])
  })

  test('is not refused once its hash has begun', async () => {
    const { slow, hasher, clock } = setUp(2)
    const hashes = [hasher.hash('running'), hasher.hash('next')]
    await clock.advance(4999)
    slow.endOne()
    await clock.advance(60_000)
    slow.endOne()
    expect(await Promise.all(hashes)).toEqual(['hash of running', 'hash of next'])
  })
})

test('if a thousand callers wait, the next one is refused immediately, but a known one waits', async () => {
  const { slow, hasher, clock } = setUp(2)
  const waiting = Array.from({ length: 1001 }, (_, i) => hasher.hash(`${i}`).catch(() => 'refused'))
  await expect(hasher.hash('one more')).rejects.toMatchObject({
    code: 'Unavailable',
    retryAfter: 5,
  })
  const known = hasher.hash('known', { isKnown: true })
  slow.endOne()
  await clock.advance(0)
  slow.endOne()
  expect(await known).toBe('hash of known')
  await clock.advance(5000)
  slow.endOne()
  const results = await Promise.all(waiting)
  expect(results.filter((result) => result === 'refused')).toHaveLength(999)
})

test('no order of arrivals and ends exceeds the limit, or leaves a place unused', async () => {
  const steps = fc.array(fc.constantFrom('arrive', 'arrive known', 'end', 'wait'), {
    maxLength: 60,
  })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (cores, actions) => {
      const { slow, hasher, clock } = setUp(cores)
      const [limit, outcomes] = [
        Math.max(1, cores - 1),
        { arrived: 0, ended: 0, settled: 0, refused: 0 },
      ]
      for (const action of actions) {
        if (action.startsWith('arrive')) {
          outcomes.arrived++
          const hash = hasher.hash('x', { isKnown: action === 'arrive known' })
          const count = (name: 'settled' | 'refused') => () => void outcomes[name]++
          void hash.then(count('settled'), count('refused'))
        } else if (action === 'end' && outcomes.ended < slow.begun.length) {
          outcomes.ended++
          slow.endOne()
        }
        await clock.advance(action === 'wait' ? 2500 : 0)
        const running = slow.begun.length - outcomes.ended
        const waiting = outcomes.arrived - outcomes.settled - outcomes.refused - running
        expect(outcomes.settled).toBe(outcomes.ended)
        expect(running).toBeLessThanOrEqual(limit)
        if (waiting > 0) expect(running).toBe(limit)
      }
    }),
    { numRuns: 20 },
  )
})

test('an unknown option is refused by name', () => {
  const options = { cores: 2, core: 2 }
  expect(() => queued(setUp(1).slow, { cores: 2 })).not.toThrow()
  expect(() => queued(setUp(1).slow, options)).toThrow('queued.core: is not an option')
})

test.each([
  ['of a server, all but one', { hardwareConcurrency: 4, userAgent: 'Node.js/22' }, 3],
  ['of a runtime that does not say how many', { userAgent: 'other' }, 1],
  ['of Workers, which computes one at a time anyway', { userAgent: 'Cloudflare-Workers' }, 20],
])('without queued() passwords take the cores %s', async (_, navigator, expected) => {
  vi.stubGlobal('navigator', navigator)
  onTestFinished(() => void vi.unstubAllGlobals())
  const slow = createSlowHasher()
  const work = createWork({ hasher: slow, verifiers: [], rules: passwordRules() })
  const all = Promise.all(
    Array.from({ length: 20 }, (__, i) => work.hash(`password ${i}`, { isKnown: true })),
  )
  for (let i = 0; i < 20; i++) {
    await expect.poll(() => slow.begun.length).toBe(Math.min(20, i + expected))
    slow.endOne()
  }
  await all
})

test.each([0, -1, 1.5, 1025, Number.NaN, '4'])('%j cores are refused', (value) => {
  const { slow } = setUp(1)
  const options: object = { cores: value }
  const create: (hasher: PasswordHasher, options: never) => QueuedHasher = queued
  expect(() => queued(slow, { cores: 1024 })).not.toThrow()
  expect(() => create(slow, options as never)).toThrow(ConfigurationError)
  expect(() => create(slow, options as never)).toThrow(
    'queued.cores: must be an integer from 1 to 1,024',
  )
})
