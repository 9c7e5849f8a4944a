import type { HandleOptions } from '../ports/runtime.ts'
import type { Service } from '../service.ts'
import { spendLimit, toClientKey } from './limits.ts'
import type { LimitName } from './limits.ts'

/** What a limit needs of a request. */
interface LimitedRequest {
  readonly service: Service
  readonly options: HandleOptions
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
