import { createTrim } from '../lib/sweep.ts'
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
  const below = createCounts()
  const reached = createCounts()
  const getCount = (key: string): Count | undefined =>
    reached.counts.get(key) ?? below.counts.get(key)
  const setCount = (key: string, count: Count, { times }: Limit, now: number): void => {
    below.counts.delete(key)
    reached.counts.delete(key)
    append(count.count >= times ? reached : below, key, count, now)
  }
  return {
    async take(key, limit, now) {
      const held = getCount(key)
      const isCurrent = held !== undefined && held.resetsAt > now
      const { count, resetsAt } = isCurrent ? held : { count: 0, resetsAt: now + limit.window }
      setCount(key, { count: count + 1, resetsAt }, limit, now)
      return count < limit.times ? 0 : Math.max(1, Math.ceil(resetsAt - now))
    },
    async refund(key, limit, now) {
      const held = getCount(key)
      // What is taken back may have been counted in an earlier window.
      if (!held || held.resetsAt <= now || held.resetsAt > now + limit.window) return
      setCount(key, { ...held, count: held.count - 1 }, limit, now)
    },
  }
}

/** Counts by key, the longest unused at the front. */
interface Counts {
  readonly counts: Map<string, Count>
  readonly trim: ReturnType<typeof createTrim<Count>>
}

function createCounts(): Counts {
  const counts = new Map<string, Count>()
  return { counts, trim: createTrim(counts) }
}

/** Appends a count, and drops what has expired or is too much from the front. */
function append({ counts, trim }: Counts, key: string, count: Count, now: number): void {
  counts.set(key, count)
  trim(({ resetsAt }) => counts.size > MAX_KEYS || resetsAt <= now)
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
