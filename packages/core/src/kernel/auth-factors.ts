import type { Factor } from '../ports/records.ts'

/** A factor of a user, without its data. */
export type FactorInfo = Pick<
  Factor,
  'type' | 'id' | 'name' | 'changedAt' | 'createdAt' | 'lastUsedAt'
>

/** The outcome of {@link AuthFactors.remove}. */
export type RemovedFactor = 'removed' | 'last' | 'unknown'

/** The options of {@link AuthFactors.remove}. */
export interface RemoveFactorOptions {
  /**
   * Whether the last second factor of a user who needs one is removed too, as by an administrator: the next sign-in
   * enrols another one. Default: false
   */
  readonly evenIfRequired?: boolean
}

/**
 * Every factor of stored users: passwords, passkeys, authenticator apps, recovery codes. To enrol a
 * second factor, post `link=true` to `/signin/:method`. Before a call
 * for the user of a request, the application calls `auth.requireRecent`.
 */
export interface AuthFactors {
  /**
   * Returns a user's factors, oldest first.
   *
   * @throws ConfigurationError without a storage that has the capability `factors`
   * @throws AuthError `Unavailable` if the storage fails
   */
  list(userId: string): Promise<readonly FactorInfo[]>
  /**
   * Removes a factor of a user; with the last second factor also the recovery codes. Unfinished sign-ins
   * of the user end, and browsers are asked again. The event `removeFactor` is emitted, and its listener is
   * waited for.
   *
   * @returns `removed`; `unknown` if the user has no such factor; `last`, and nothing changed, if it is the last second
   *   factor of a user who needs one, or takes the user's last way to sign in whose provider is configured
   *
   * @throws ConfigurationError without a storage that has the capability `factors`
   * @throws AuthError `Unavailable` if the storage fails; `Callback`, and nothing changed, if the option `require`
   *   throws
   */
  remove(
    userId: string,
    factor: Pick<Factor, 'type' | 'id'>,
    options?: RemoveFactorOptions,
  ): Promise<RemovedFactor>
  /**
   * Names a factor of a user, who can have several. Unfinished sign-ins and remembered browsers
   * continue, and no event is emitted.
   *
   * @param name 1 to 64 characters without control characters, shortened by white space around it; or null
   * @returns False if the user has no such factor
   *
   * @throws ConfigurationError without a storage that has the capability `factors`
   * @throws TypeError if `name` is invalid
   * @throws AuthError `Unavailable` if the storage fails
   *
   * @example
   *   import type { Auth } from '@latchkey/core'
   *
   *   declare const auth: Auth
   *   async function nameApp(userId: string, id: string): Promise<boolean> {
   *     return auth.factors.rename(userId, { type: 'totp', id }, 'Phone')
   *   }
   */
  rename(userId: string, factor: Pick<Factor, 'type' | 'id'>, name: string | null): Promise<boolean>
}
