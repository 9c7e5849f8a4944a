import { ConfigurationError } from '@latchkey/core'
import type { Limiter } from '@latchkey/core'

/** The methods of Cloudflare's rate limiting binding that are used here. */
export interface RateLimit {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** Seconds: the longest `simple.period` that a binding can have. */
const LONGEST_PERIOD = 60

/**
 * Creates a limiter that counts by a rate limiting binding, without a write. Limits with a window longer than
 * a minute, such as the limits of emails, are counted by another limiter: a binding counts for a minute at
 * most, and so would allow a multiple of them.
 *
 * @param longer Counts windows longer than a minute. Without it the binding counts them too
 * @throws ConfigurationError if the binding is of another kind
 */
export function createLimiter(binding: RateLimit, longer: Limiter | undefined): Limiter {
  if (typeof binding?.limit !== 'function') {
    throw new ConfigurationError('SIGN_INS', 'must be a rate limiting binding')
  }
  const byBinding = workersLimiter(binding)
  if (!longer) return byBinding
  return {
    take: (key, limit, now) =>
      (limit.window > LONGEST_PERIOD ? longer : byBinding).take(key, limit, now),
    // A binding cannot take a count back.
    refund: async (key, limit, now) =>
      limit.window > LONGEST_PERIOD ? longer.refund?.(key, limit, now) : undefined,
  }
}

/**
 * Counts by a rate limiting binding. The binding's own `simple.limit` and `simple.period` apply to
 * every limit; the numbers of the option `limits` only decide whether something is limited at all.
 *
 * @param period The binding's `simple.period`, in seconds. Default: 60
 */
export function workersLimiter(binding: RateLimit, period: number = LONGEST_PERIOD): Limiter {
  return {
    async take(key) {
      const { success } = await binding.limit({ key })
      return success ? 0 : period
    },
  }
}
