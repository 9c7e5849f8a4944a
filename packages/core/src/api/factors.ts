import { ConfigurationError } from '../errors.ts'
import type { Factor } from '../ports/records.ts'
import { getSecondFactors } from '../second-factor/get-second-factors.ts'
import type { Service } from '../service.ts'

/** A factor of a user, without its data. */
export type FactorInfo = Pick<
  Factor,
  'type' | 'id' | 'name' | 'changedAt' | 'createdAt' | 'lastUsedAt'
>

/**
 * The second factors of stored users (I-53). To enrol one, post `link=true` to `/signin/:method`. Before a call
 * for the user of a request, the application calls `auth.requireRecent`.
 */
export interface AuthFactors {
  /**
   * Returns a user's factors, oldest first.
   *
   * @throws ConfigurationError without the option `secondFactor`
   * @throws AuthError `Unavailable` if the storage fails
   */
  list(userId: string): Promise<readonly FactorInfo[]>
  /**
   * Removes a factor of a user; with the last second factor also the recovery codes (I-53.4). Unfinished sign-ins
   * of the user end, and browsers are asked again. The event `removeFactor` is emitted, and its listener is
   * waited for.
   *
   * @returns False if the user has no such factor
   *
   * @throws ConfigurationError without the option `secondFactor`
   * @throws AuthError `Unavailable` if the storage fails
   */
  remove(userId: string, factor: Pick<Factor, 'type' | 'id'>): Promise<boolean>
}

/** Creates `auth.factors`. */
export function createAuthFactors(service: Service): AuthFactors {
  const get = (): AuthFactors => {
    const secondFactors = getSecondFactors(service)
    if (secondFactors) return secondFactors.createApi(service)
    throw new ConfigurationError('auth.factors', 'needs the option secondFactor')
  }
  return {
    list: async (userId) => get().list(userId),
    remove: async (userId, factor) => get().remove(userId, factor),
  }
}
