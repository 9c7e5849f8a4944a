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

/** Cloudflare's rate limiting binding, as far as it is used here. */
export interface RateLimit {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/**
 * Counts by a rate limiting binding of Cloudflare Workers. How often and how long the binding's own
 * `simple.limit` and `simple.period` say, for all limits alike; those of the configuration only say
 * whether something is limited at all.
 *
 * @param period The binding's `simple.period`, in seconds. Default: 60
 *
 * @example
 *   import { workersLimiter } from '@latchkey/core/limiters'
 *   import type { RateLimit } from '@latchkey/core/limiters'
 *
 *   declare const env: { readonly SIGN_INS: RateLimit }
 *   const limiter = workersLimiter(env.SIGN_INS)
 */
export function workersLimiter(binding: RateLimit, period = 60): Limiter {
  return {
    async take(key) {
      const { success } = await binding.limit({ key })
      return success ? 0 : period
    },
  }
}

function counting(increment: Storage['increment']): Limiter {
  return {
    async take(key, { times, window }, now) {
      const { count, resetsAt } = await increment(key, window, now)
      return count <= times ? 0 : Math.max(1, Math.ceil(resetsAt - now))
    },
  }
}
