import { AuthError, ConfigurationError } from '@latchkey/core'
import { createTestClock } from '@latchkey/testing'
import { passwordRules, queued } from '@latchkey/passwords'
import type { PasswordHasher, QueuedCaller, QueuedHasher } from '@latchkey/passwords'
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
  [4, 3],
  [8, 3],
])('I-55.8: with %d cores and four threads %d hashes run simultaneously', async (cores, limit) => {
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

test.each([
  ['1', 1],
  ['2', 1],
  ['8', 7],
  ['64', 7],
  ['0', 1],
  ['many', 1],
])('with 8 cores and UV_THREADPOOL_SIZE=%s %d hashes run simultaneously', async (size, limit) => {
  vi.stubEnv('UV_THREADPOOL_SIZE', size)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { slow, hasher, clock } = setUp(8)
  const hashes = Array.from({ length: 8 }, (_, i) => hasher.hash(`${i}`))
  await clock.advance(0)
  expect(slow.begun).toHaveLength(limit)
  for (let i = 0; i < 8; i++) {
    slow.endOne()
    await clock.advance(0)
  }
  expect(await Promise.all(hashes)).toHaveLength(8)
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

/** Lets callers wait behind a hash, and returns the passwords in the order in which they were hashed. */
async function listOrder(
  callers: readonly (readonly [password: string, caller: QueuedCaller])[],
): Promise<readonly string[]> {
  const { slow, hasher, clock } = setUp(2)
  const running = hasher.hash('running')
  await clock.advance(0)
  const hashes = callers.map(([password, caller]) => hasher.hash(password, caller))
  for (let i = 0; i <= callers.length; i++) {
    slow.endOne()
    await clock.advance(0)
  }
  expect(await Promise.all([running, ...hashes])).toHaveLength(callers.length + 1)
  return slow.begun.slice(1)
}

test('I-55.8: known callers come first', async () => {
  const known = { isKnown: true }
  const order = await listOrder([
    ['1', {}],
    ['2', {}],
    ['k1', known],
    ['3', {}],
    ['k2', known],
  ])
  expect(order).toEqual(['k1', 'k2', '1', '2', '3'])
})

test('after two known callers in a row another one is served', async () => {
  const known = Array.from({ length: 5 }, (_, i) => [`k${i}`, { isKnown: true }] as const)
  const order = await listOrder([['1', {}], ['2', {}], ...known])
  expect(order).toEqual(['k0', 'k1', '1', 'k2', 'k3', '2', 'k4'])
})

test.each([{ isKnown: false }, { isKnown: true }])(
  'I-55.8: each client has a line, and the lines are served in turn: %j',
  async (kind) => {
    const office = Array.from(
      { length: 4 },
      (_, i) => [`office ${i}`, { ...kind, client: '192.0.2.1' }] as const,
    )
    const order = await listOrder([
      ...office,
      ['home', { ...kind, client: '192.0.2.2' }],
      ['unknown 1', kind],
      ['unknown 2', kind],
    ])
    expect(order).toEqual([
      'office 0',
      'home',
      'unknown 1',
      'office 1',
      'unknown 2',
      'office 2',
      'office 3',
    ])
  },
)

test('I-55.8: the clients of one /48 network have one turn between them', async () => {
  const rotating = Array.from(
    { length: 4 },
    (_, i) => [`rotating ${i}`, { client: `2001:db8:0:${i}` }] as const,
  )
  const order = await listOrder([
    ...rotating,
    ['other network', { client: '2001:db8:1:0' }],
    ['third', { client: '192.0.2.1' }],
  ])
  expect(order).toEqual([
    'rotating 0',
    'other network',
    'third',
    'rotating 1',
    'rotating 2',
    'rotating 3',
  ])
})

test('I-55.8: at most one hash of a user is computed or in a line, from whatever client', async () => {
  const mallory = Array.from(
    { length: 4 },
    (_, i) => [`mallory ${i}`, { isKnown: true, user: 'mallory', client: `192.0.2.${i}` }] as const,
  )
  const alice = { isKnown: true, user: 'alice', client: '192.0.2.99' }
  const order = await listOrder([...mallory, ['alice', alice]])
  expect(order).toEqual(['mallory 0', 'alice', 'mallory 1', 'mallory 2', 'mallory 3'])
})

describe('the callers of one user', () => {
  const mallory = { isKnown: true, user: 'mallory' }

  test('wait for each other, also if a place is free', async () => {
    const { slow, hasher, clock } = setUp(4)
    const hashes = [hasher.hash('1', mallory), hasher.hash('2', mallory)]
    await clock.advance(0)
    expect(slow.begun).toEqual(['1'])
    slow.endOne()
    await clock.advance(0)
    slow.endOne()
    expect(await Promise.all(hashes)).toHaveLength(2)
  })

  test('leave their turn to the next one if they have waited too long', async () => {
    const { slow, hasher, clock } = setUp(2)
    const running = hasher.hash('running')
    const late = expect(hasher.hash('late', mallory)).rejects.toMatchObject({ status: 503 })
    await clock.advance(3000)
    const next = hasher.hash('next', mallory)
    await clock.advance(2000)
    await late
    slow.endOne()
    await clock.advance(0)
    slow.endOne()
    expect(await Promise.all([running, next])).toEqual(['hash of running', 'hash of next'])
  })

  test('are refused beyond ten', async () => {
    const { slow, hasher, clock } = setUp(2)
    const hashes = Array.from({ length: 10 }, (_, i) => hasher.hash(`${i}`, mallory))
    await expect(hasher.hash('11', mallory)).rejects.toMatchObject({ code: 'Unavailable' })
    for (let i = 0; i < 10; i++) {
      await clock.advance(0)
      slow.endOne()
    }
    expect(await Promise.all(hashes)).toHaveLength(10)
  })
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
    await clock.advance(9999)
    slow.endOne()
    expect(await Promise.all(hashes)).toEqual(['hash of running', 'hash of next'])
  })

  test('gets 503 after ten seconds of its own hash, which keeps its place', async () => {
    const { slow, hasher, clock } = setUp(2)
    const hanging = expect(hasher.hash('hanging')).rejects.toMatchObject({ code: 'Unavailable' })
    await clock.advance(10_000)
    await hanging
    const next = hasher.hash('next')
    await clock.advance(0)
    expect(slow.begun).toEqual(['hanging'])
    slow.endOne()
    await clock.advance(0)
    slow.endOne()
    expect(await next).toBe('hash of next')
  })
})

test('if a thousand callers wait, the last one of the longest line has to go', async () => {
  const { slow, hasher, clock } = setUp(2)
  const flood = { client: '192.0.2.1' }
  const refused: string[] = []
  const wait = (name: string, caller: QueuedCaller): Promise<unknown> =>
    hasher.hash(name, caller).catch(() => refused.push(name))
  const running = hasher.hash('running')
  const waiting = Array.from({ length: 1000 }, (_, i) => wait(`${i}`, flood))
  await clock.advance(0)
  expect(refused).toEqual([])
  const others = [wait('one more', flood), wait('home', { client: '192.0.2.2' })]
  others.push(wait('known', { isKnown: true }))
  await clock.advance(0)
  expect(refused).toEqual(['one more', '999'])
  for (let i = 0; i < 4; i++) {
    slow.endOne()
    await clock.advance(0)
  }
  expect(slow.begun).toEqual(['running', 'known', '0', 'home', '1'])
  await clock.advance(5000)
  slow.endOne()
  await Promise.all([running, ...waiting, ...others])
})

test('no order of arrivals and ends exceeds the limit, or leaves a place unused', async () => {
  const steps = fc.array(
    fc.constantFrom('arrive', 'arrive known', 'arrive elsewhere', 'end', 'wait'),
    {
      maxLength: 60,
    },
  )
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (cores, actions) => {
      const { slow, hasher, clock } = setUp(cores)
      const [limit, outcomes] = [
        Math.max(1, cores - 1),
        { arrived: 0, ended: 0, settled: 0, refused: 0 },
      ]
      let now = 0
      const beganAt: number[] = []
      for (const action of actions) {
        // A hash that takes ten seconds is refused, and keeps its place: none of these does.
        const later = now + (action === 'wait' ? 2500 : 0)
        while (later - (beganAt[outcomes.ended] ?? now) >= 10_000) {
          outcomes.ended++
          slow.endOne()
        }
        if (action.startsWith('arrive')) {
          outcomes.arrived++
          const isKnown = action === 'arrive known'
          const hash = hasher.hash('x', { isKnown, client: action })
          const count = (name: 'settled' | 'refused') => () => void outcomes[name]++
          void hash.then(count('settled'), count('refused'))
        } else if (action === 'end' && outcomes.ended < slow.begun.length) {
          outcomes.ended++
          slow.endOne()
        }
        await clock.advance(later - now)
        while (beganAt.length < slow.begun.length) beganAt.push(now)
        now = later
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
  const work = createWork({
    hasher: { ...slow, decoy: 'decoy' },
    verifiers: [],
    rules: passwordRules(),
  })
  const log = { error: () => undefined, warn: () => undefined }
  const caller = { isKnown: true, client: undefined, user: undefined, log }
  const all = Promise.all(Array.from({ length: 20 }, (__, i) => work.hash(`password ${i}`, caller)))
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
