import type { HandleOptions } from '../ports/runtime.ts'
import type { Account } from '../ports/records.ts'
import { spendLimit, toClientKey } from './limits.ts'
import type { CountedRequest, LimitName, OwnLimit } from './limits.ts'

/** A request whose client may be counted, such as a `Context`. */
export interface LimitedRequest extends CountedRequest {
  readonly options: HandleOptions
}

/**
 * Counts a request of its client, by IP address; if the host does not say which, nothing is counted.
 *
 * @param limit The name of a limit of the service, or one of `createOwnLimits`
 *
 * @throws AuthError `RateLimited`, or `Unavailable` if the limiter fails
 */
export async function limitClient(
  request: LimitedRequest,
  limit: LimitName | OwnLimit,
): Promise<void> {
  await spendLimit(request, limit, getClientKey(request))
}

/**
 * Counts an attempt to prove an identity by a secret (I-43).
 *
 * @param name Whose secret it is
 * @param browserId Names a browser in which the user has signed in before: it has a separate count, and
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
  const client = getClientKey(request)
  const ofClient = isKnown || client === undefined ? undefined : `client ${client} ${name}`
  const ofAll = isKnown ? `browser ${browserId} ${name}` : `all ${name}`
  return spendAll(request, [
    ['credentialsPerClient', client],
    ['credentialsPerName', ofClient],
    ['credentialsPerName', ofAll],
    // The last one, so that attempts that another limit refuses do not use it up.
    ['credentialsPerHour', isKnown ? undefined : 'all'],
  ])
}

/**
 * Counts a sign-in that may be refused because another user has its unproven email address: the refusal
 * reveals that the email address has an account (I-38).
 *
 * @returns A function that takes it back
 *
 * @throws AuthError `RateLimited`
 */
export function limitNotLinked(
  request: LimitedRequest,
  { provider, providerAccountId }: Pick<Account, 'provider' | 'providerAccountId'>,
): Promise<() => Promise<void>> {
  return spendAll(request, [
    // The first one, so that an account that it refuses does not use up the limit of its client.
    ['notLinkedPerAccount', `${provider} ${providerAccountId}`],
    ['notLinkedPerClient', getClientKey(request)],
  ])
}

/** Counts against several limits, one after the other, and returns a function that takes all counts back. */
async function spendAll(
  request: CountedRequest,
  counts: readonly (readonly [name: LimitName, key: string | undefined])[],
): Promise<() => Promise<void>> {
  const refunds: (() => Promise<void>)[] = []
  for (const [name, key] of counts) refunds.push(await spendLimit(request, name, key))
  return async () => {
    for (const refund of refunds) await refund()
  }
}

/** Returns the key by which the client of a request is counted; undefined if the host does not say which it is. */
export function getClientKey({ options }: Pick<LimitedRequest, 'options'>): string | undefined {
  return toClientKey(options.clientIp?.())
}
