import { createExpiringMap } from '../lib/expiring-map.ts'
import type { Limit, Limiter } from '../ports/limiter.ts'
import type { Count } from '../ports/records.ts'
import type { Storage } from '../ports/storage.ts'

/** Keys below their limit that a process remembers, and as many at their limit: about 15 MB in all. */
const MAX_KEYS = 50_000

/**
 * Counts in this process. With several processes each allows as much as the limit says.
 *
 * At most 100,000 keys are remembered: 50,000 below their limit, 50,000 at it. Beyond that the ones
 * counted longest ago are forgotten, and begin at zero again. A flood of new keys therefore lifts no
 * limit that is reached; only 50,000 other keys that reach theirs in the same window can.
 *
 * @example
 *   import { memoryLimiter } from '@latchkey/core/limiters'
 *
 *   const limiter = memoryLimiter()
 *   const seconds = await limiter.take('alice', { times: 5, window: 600 }, Date.now() / 1000)
 */
export function memoryLimiter(): Limiter {
  const below = createExpiringMap<Count>(MAX_KEYS)
  const reached = createExpiringMap<Count>(MAX_KEYS)
  const getCount = (key: string, now: number): Count | undefined =>
    reached.get(key, now) ?? below.get(key, now)
  const setCount = (key: string, count: Count, { times }: Limit, now: number): void => {
    below.delete(key)
    reached.delete(key)
    const counts = count.count >= times ? reached : below
    counts.set(key, count, count.resetsAt, now)
  }
  return {
    async take(key, limit, now) {
      const { count, resetsAt } = getCount(key, now) ?? { count: 0, resetsAt: now + limit.window }
      setCount(key, { count: count + 1, resetsAt }, limit, now)
      return count < limit.times ? 0 : Math.max(1, Math.ceil(resetsAt - now))
    },
    async refund(key, limit, now) {
      const held = getCount(key, now)
      // What is taken back may have been counted in an earlier window.
      if (!held || held.resetsAt > now + limit.window) return
      setCount(key, { ...held, count: held.count - 1 }, limit, now)
    },
  }
}

/**
 * Counts in a storage: all processes together.
 *
 * @example
 *   import { storageLimiter } from '@latchkey/core/limiters'
 *   import { memoryStorage } from '@latchkey/core/memory'
 *
 *   const limiter = storageLimiter(memoryStorage())
 */
export function storageLimiter(storage: Pick<Storage, 'increment'>): Limiter {
  return {
    async take(key, { times, window }, now) {
      const { count, resetsAt } = await storage.increment(key, window, now)
      return count <= times ? 0 : Math.max(1, Math.ceil(resetsAt - now))
    },
    async refund(key, { window }, now) {
      await storage.increment(key, window, now, -1)
    },
  }
}
