import { ConfigurationError } from '@latchkey/core'
import type { Limiter, Storage } from '@latchkey/core'
import { storageLimiter, workersLimiter } from '@latchkey/core/limiters'
import type { RateLimit } from '@latchkey/core/limiters'

/** Seconds: the longest period that a binding can count. */
const LONGEST_PERIOD = 60

/**
 * Counts by the binding what it can count, at no cost to the database. Limits with a longer window,
 * as those on mails have, are counted in the storage: a minute's limit would allow a multiple of
 * them.
 *
 * @throws ConfigurationError where the binding is of another kind
 */
export function limiterOf(binding: RateLimit, storage: Storage | undefined): Limiter {
  if (typeof binding?.limit !== 'function') {
    throw new ConfigurationError('SIGN_INS', 'must be a rate limiting binding')
  }
  const byBinding = workersLimiter(binding, LONGEST_PERIOD)
  if (!storage) return byBinding
  const byStorage = storageLimiter(storage)
  return {
    take: (key, limit, now) =>
      (limit.window > LONGEST_PERIOD ? byStorage : byBinding).take(key, limit, now),
  }
}
