import { ConfigurationError } from '../lib/errors.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Clock } from '../ports/runtime.ts'
import { chooseStore } from '../storage/choose-store.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { memoryLimiter, storageLimiter } from './limiters.ts'

/**
 * Checks the option `limiter`. By default the storage counts if it can, else this process. A limiter
 * that does not answer in time fails.
 *
 * @param timeout Seconds
 * @throws ConfigurationError if it has no method `take`
 */
export function resolveLimiter(
  limiter: Limiter | undefined,
  storage: GuardedStorage | undefined,
  timeout: number,
  clock: Clock,
): Limiter {
  if (limiter === undefined) return createLimiter(storage)
  if (typeof limiter.take !== 'function') {
    throw new ConfigurationError('limiter', 'must have the method take()')
  }
  const inTime = <T>(count: Promise<T>): Promise<T> => withTimeout(count, timeout, undefined, clock)
  return {
    take: (key, limit, now) => inTime(limiter.take(key, limit, now)),
    refund: async (key, limit, now) => limiter.refund && inTime(limiter.refund(key, limit, now)),
  }
}

/** Creates a limiter that counts in the storage if it can, else in this process. */
export function createLimiter(storage: GuardedStorage | undefined): Limiter {
  return chooseStore(storage, 'increment', storageLimiter, memoryLimiter)
}
