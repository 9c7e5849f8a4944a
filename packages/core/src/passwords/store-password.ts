import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import type { Factor } from '../ports/records.ts'
import { toChangeTime } from '../second-factor/factors.ts'
import { getSecurityNotices } from '../security-emails/get-security-notices.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import {
  createPasswordFactor,
  findPasswordFactor,
  getLastChange,
  toPasswordData,
} from './password-factor.ts'

/** Uses of a password that can happen while it is changed. */
const MAX_ATTEMPTS = 20

/** Identifies the password that was stored. */
type StoredPassword = Pick<Factor, 'type' | 'id' | 'changedAt'>

/**
 * Stores a user's password, and notifies the user. The sessions stay.
 *
 * @throws AuthError `Unavailable` if the storage fails, or if the password is used all the time; `SessionRequired` if the
 *   user is deleted
 */
export async function storePassword(
  ctx: Context,
  storage: GuardedStorage,
  userId: string,
  hash: string,
): Promise<StoredPassword> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const stored = await tryToStore(ctx, storage, userId, hash)
    if (!stored) continue
    getSecurityNotices(ctx.service)?.note(ctx, { userId, change: 'passwordChanged' })
    return stored
  }
  throw new AuthError('Unavailable', 'the password was used all the time')
}

/** Returns undefined if something else has changed the password meanwhile. */
async function tryToStore(
  { now }: Context,
  storage: GuardedStorage,
  userId: string,
  hash: string,
): Promise<StoredPassword | undefined> {
  const factor = await findPasswordFactor(storage, userId)
  if (factor) {
    const { type, id, version } = factor
    const changedAt = toChangeTime(now, getLastChange(factor))
    const changes = { data: toPasswordData(hash), changedAt, lastUsedAt: null }
    const isStored = await storage.updateFactor(type, id, version, changes)
    return isStored ? { type, id, changedAt } : undefined
  }
  const created = createPasswordFactor(userId, hash, now)
  if (await storage.createFactor(userId, created)) return created
  if (await storage.getUser(userId)) return undefined
  throw new AuthError('SessionRequired', 'the user is deleted')
}
