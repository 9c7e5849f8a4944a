import type { Limiter } from '@latchkey/core'
import { memoryLimiter, storageLimiter } from '@latchkey/core/limiters'
import { memoryStorage } from '@latchkey/core/memory'
import { limiterContract } from '@latchkey/testing/limiter-contract'
import { describe, expect, test } from 'vitest'

const limiters = {
  memoryLimiter: memoryLimiter(),
  storageLimiter: storageLimiter(memoryStorage()),
}

describe.for(Object.entries(limiters))('the limiter contract: %s', ([, limiter]) => {
  test.for(limiterContract)('$name', ({ run }) => run(limiter))
})

/** Limiters that each break one rule of the port. */
const faults: Readonly<Record<string, (limiter: Limiter) => Partial<Limiter>>> = {
  'take counts one less': (l) => ({
    take: (key, limit, now) => l.take(key, { ...limit, times: limit.times + 1 }, now),
  }),
  'take returns no time': (l) => ({
    take: async (key, limit, now) => Math.min(1, await l.take(key, limit, now)),
  }),
  'keys are folded': (l) => ({
    take: (key, limit, now) => l.take(key.trim().toLowerCase(), limit, now),
  }),
  'the window never ends': (l) => ({
    take: (key, limit, now) => l.take(key, { ...limit, window: limit.window * 9 }, now),
  }),
  'refund does nothing': () => ({ refund: async () => undefined }),
  'refund takes back in any window': (l) => ({
    refund: async (key, limit, now) => l.refund?.(key, limit, now + limit.window),
  }),
  'take reads the count before another call changes it': () => {
    const counts = new Map<string, number>()
    return {
      async take(key, { times, window }) {
        const count = counts.get(key) ?? 0
        await new Promise((resolve) => setImmediate(resolve))
        counts.set(key, count + 1)
        return count < times ? 0 : window
      },
    }
  },
}

test.for(Object.entries(faults))('the limiter contract finds: %s', async ([, fault]) => {
  const correct = memoryLimiter()
  const limiter = { ...correct, ...fault(correct) }
  const outcomes = await Promise.allSettled(limiterContract.map(({ run }) => run(limiter)))
  expect(outcomes.filter(({ status }) => status === 'rejected')).not.toEqual([])
})
