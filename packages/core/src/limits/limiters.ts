import type { Limiter } from '../ports/limiter.ts'
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
  const below = new Map<string, Count>()
  const reached = new Map<string, Count>()
  return {
    async take(key, { times, window }, now) {
      const held = reached.get(key) ?? below.get(key)
      const isCurrent = held !== undefined && held.resetsAt > now
      const { count, resetsAt } = isCurrent ? held : { count: 0, resetsAt: now + window }
      below.delete(key)
      reached.delete(key)
      const isReached = count + 1 >= times
      append(isReached ? reached : below, key, { count: count + 1, resetsAt }, now)
      return count < times ? 0 : Math.max(1, Math.ceil(resetsAt - now))
    },
    async refund(key, { times, window }, now) {
      const held = reached.get(key) ?? below.get(key)
      // What is taken back may have been counted in an earlier window.
      if (!held || held.resetsAt <= now || held.resetsAt > now + window) return
      below.delete(key)
      reached.delete(key)
      const count = held.count - 1
      append(count >= times ? reached : below, key, { ...held, count }, now)
    },
  }
}

/** Appends a count, and drops what has expired or is too much from the front, the longest unused. */
function append(counts: Map<string, Count>, key: string, count: Count, now: number): void {
  counts.set(key, count)
  for (const [oldest, { resetsAt }] of counts) {
    if (counts.size <= MAX_KEYS && resetsAt > now) return
    counts.delete(oldest)
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
