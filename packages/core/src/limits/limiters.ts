import { createCounter } from '../lib/counter.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Storage } from '../ports/storage.ts'

/**
 * Counts in this process. With several processes each allows as much as the limit says.
 *
 * @example
 *   import { memoryLimiter } from '@latchkey/core/limiters'
 *
 *   const limiter = memoryLimiter()
 *   const seconds = await limiter.take('somebody', { times: 5, window: 600 }, Date.now() / 1000)
 */
export function memoryLimiter(): Limiter {
  return counting(createCounter())
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
  return counting((key, window, now) => storage.increment(key, window, now))
}

function counting(increment: Storage['increment']): Limiter {
  return {
    async take(key, { times, window }, now) {
      const { count, resetsAt } = await increment(key, window, now)
      return count <= times ? 0 : Math.max(1, Math.ceil(resetsAt - now))
    },
  }
}
