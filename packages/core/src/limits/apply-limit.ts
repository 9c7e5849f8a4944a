import type { HandleOptions } from '../ports/runtime.ts'
import type { Signer } from '../crypto/seal.ts'
import type { Limiter } from '../ports/limiter.ts'
import { spendLimit, toClientKey } from './limits.ts'
import type { LimitName, Limits } from './limits.ts'

/** What a limit needs of a request. */
interface LimitedRequest {
  readonly service: {
    readonly limits: Limits
    readonly limiter: Limiter
    readonly keys: { readonly token: Signer }
  }
  readonly options: HandleOptions
  /** Seconds since 1970. */
  readonly now: number
}

/**
 * Counts a request of its client, by IP address; if the host does not say which, nothing is counted.
 *
 * @throws AuthError `RateLimited`
 */
export function limitClient(request: LimitedRequest, name: LimitName): Promise<void> {
  return limitKey(request, name, toClientKey(request.options.clientIp?.()))
}

/**
 * Counts something under a key, such as an email address.
 *
 * @throws AuthError `RateLimited`
 */
export function limitKey(
  { service, now }: LimitedRequest,
  name: LimitName,
  key: string | undefined,
): Promise<void> {
  const { limits, limiter, keys } = service
  return spendLimit({ limits, limiter, signer: keys.token }, name, key, now)
}
