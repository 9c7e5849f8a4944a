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
export async function limitClient(request: LimitedRequest, name: LimitName): Promise<void> {
  await spend(request, name, toClientKey(request.options.clientIp?.()))
}

/**
 * Counts something under a key, such as an email address.
 *
 * @throws AuthError `RateLimited`
 */
export async function limitKey(
  request: LimitedRequest,
  name: LimitName,
  key: string | undefined,
): Promise<void> {
  await spend(request, name, key)
}

/**
 * Counts an attempt to prove an identity by a secret (I-43).
 *
 * @param name Whose secret it is
 * @param browserId Names a browser in which the user has signed in before: it has a count of its own, and
 *   no failure under the name elsewhere refuses it
 * @returns A function that takes the attempt back
 *
 * @throws AuthError `RateLimited`
 */
export async function limitAttempt(
  request: LimitedRequest,
  name: string,
  browserId: string | undefined,
): Promise<() => Promise<void>> {
  const isKnown = browserId !== undefined
  const client = toClientKey(request.options.clientIp?.())
  const ofClient = isKnown || client === undefined ? undefined : `client ${client} ${name}`
  const ofAll = isKnown ? `browser ${browserId} ${name}` : `all ${name}`
  const refunds = [
    await spend(request, 'credentialsPerClient', client),
    await spend(request, 'credentialsPerName', ofClient),
    await spend(request, 'credentialsPerName', ofAll),
    // The last one, so that attempts that another limit refuses do not use it up.
    await spend(request, 'credentialsPerHour', isKnown ? undefined : 'all'),
  ]
  return async () => {
    for (const refund of refunds) await refund()
  }
}

function spend(
  { service, now }: LimitedRequest,
  name: LimitName,
  key: string | undefined,
): Promise<() => Promise<void>> {
  const { limits, limiter, keys } = service
  return spendLimit({ limits, limiter, signer: keys.token }, name, key, now)
}
