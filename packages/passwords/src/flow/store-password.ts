import type { Context, GuardedStorage } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { changeFactor, toChangeTime } from '@latchkey/core/capability/factors'
import type { Factor, Identity } from '@latchkey/core'
import {
  createPasswordFactor,
  findPasswordFactor,
  getLastChange,
  isOwnPassword,
  toPasswordData,
} from './password-factor.ts'

/** Uses of a password that can happen while it is changed. */
const MAX_ATTEMPTS = 20

/** A password to be stored. */
export interface NewPassword {
  readonly hash: string
  /** When the password that it replaces was changed; undefined if there is none. Default: any password is replaced */
  readonly replaces?: { readonly changedAt: number | undefined }
}

/** A password that was stored. */
export interface StoredPassword {
  readonly provenBy: NonNullable<Identity['provenBy']>
  /** Stores what was there before, unless something else has changed it meanwhile. */
  readonly undo: () => Promise<void>
}

/**
 * Stores a user's password. The sessions stay, and nobody is told.
 *
 * @throws AuthError `Unavailable` if the storage fails, or if the password is used without a pause; `SessionRequired` if the
 *   user is deleted, or has another password than the one to be replaced
 */
export async function storePassword(
  ctx: Context,
  storage: GuardedStorage,
  userId: string,
  password: NewPassword,
): Promise<StoredPassword> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const stored = await tryToStore(ctx, storage, userId, password)
    if (stored) return stored
  }
  throw new AuthError('Unavailable', 'the password was used without a pause')
}

/** Returns undefined if something else has changed or used the password meanwhile. */
async function tryToStore(
  ctx: Context,
  storage: GuardedStorage,
  userId: string,
  { hash, replaces }: NewPassword,
): Promise<StoredPassword | undefined> {
  const { now } = ctx
  const factor = await findPasswordFactor(storage, userId)
  if (replaces && replaces.changedAt !== factor?.changedAt) {
    throw new AuthError('SessionRequired', 'another request has changed the password meanwhile')
  }
  if (factor && isOwnPassword(factor)) {
    const { type, id, version, data } = factor
    const changedAt = toChangeTime(now, getLastChange(factor))
    const changes = { data: toPasswordData(hash), changedAt, lastUsedAt: null }
    if (!(await storage.updateFactor(type, id, version, changes))) return undefined
    return {
      provenBy: { type, id, changedAt },
      undo: () => restore(ctx, storage, factor, { changedAt, data }),
    }
  }
  const created = createPasswordFactor(userId, hash, now)
  if (!(await storage.createFactor(userId, created))) {
    if (await storage.getUser(userId)) return undefined
    throw new AuthError('SessionRequired', 'the user is deleted')
  }
  // The password of an import, whose mailbox was not proven.
  if (factor) await storage.deleteFactor(userId, factor.type, factor.id)
  const { type, id, changedAt } = created
  // It is taken back even if it is the only way to sign in.
  const undo = async (): Promise<void> =>
    void (await storage.deleteFactor(userId, type, id, undefined, []))
  return { provenBy: { type, id, changedAt }, undo }
}

/** The password changes again: what the one that is taken back has proven must not continue. */
async function restore(
  { now }: Context,
  storage: GuardedStorage,
  factor: Factor,
  { changedAt, data }: Pick<Factor, 'changedAt' | 'data'>,
): Promise<void> {
  await changeFactor(storage, factor, (current) =>
    current.changedAt === changedAt ? { data, changedAt: toChangeTime(now, changedAt) } : undefined,
  )
}
