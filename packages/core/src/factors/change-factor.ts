import { AuthError } from '../lib/errors.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import type { Factor, FactorChanges } from '../ports/records.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** Uses of one factor that can happen while it is changed. */
const MAX_ATTEMPTS = 20

/**
 * Changes a factor of a user, also if codes are used at the same time: each use writes it too.
 *
 * @param toChanges Is called again if the factor was used meanwhile; undefined changes nothing
 * @param read The factor, if the caller has just read it. Default: it is read
 * @returns False if the user has no such factor
 *
 * @throws AuthError `Unavailable` if the storage fails, or if the factor is used all the time
 */
export async function changeFactor(
  storage: GuardedStorage,
  { userId, type, id }: Pick<Factor, 'userId' | 'type' | 'id'>,
  toChanges: (factor: Factor) => Awaitable<FactorChanges | undefined>,
  read?: Factor,
): Promise<boolean> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const isRead = read && attempts === 0
    const factor = isRead ? read : (await storage.getFactorAndUser(type, id))?.factor
    if (factor?.userId !== userId) return false
    const changes = await toChanges(factor)
    if (!changes || (await storage.updateFactor(type, id, factor.version, changes))) return true
  }
  throw new AuthError('Unavailable', `a factor of the type ${type} was used all the time`)
}
