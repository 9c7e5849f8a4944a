import { changed, endAll } from '@latchkey/core/capability'
import type { Context, GuardedStorage } from '@latchkey/core/capability'
import { endBegunBy, revokeAllSessions } from '@latchkey/core/capability/factors'
import { storePassword } from './store-password.ts'
import type { NewPassword, StoredPassword } from './store-password.ts'

/** The password to store, and the session that stays, if there is one. */
interface Replacement extends NewPassword {
  readonly except?: string
}

/** A password that was stored. */
export interface ReplacedPassword extends StoredPassword {
  /** Ends the sessions that it has begun, once it is taken back. */
  readonly endBegun: () => Promise<void>
  /** Notifies the user, once the password stays. */
  readonly tell: () => Promise<void>
}

/**
 * Ends the sessions of a user, and stores a password (I-55.5, I-55.12).
 *
 * @throws AuthError as {@link storePassword}; `Unavailable` with the sessions or the password as they were, except if the
 *   storage fails at its last call
 */
export async function replacePassword(
  ctx: Context,
  storage: GuardedStorage,
  userId: string,
  { except, ...password }: Replacement,
): Promise<ReplacedPassword> {
  // Before the password is stored: if this fails, nothing is half done.
  await revokeAllSessions(ctx.service, userId, { except, ctx })
  const stored = await storePassword(ctx, storage, userId, password)
  const tell = (): Promise<void> =>
    changed({ service: ctx.service, ctx, kind: 'passwordChanged', userId })
  try {
    // The previous password can have begun a session in between, which read it before it was replaced, and has allowed more.
    await storage.deleteSessions(userId, except)
    await endAll(ctx.service, userId, 'recovery')
  } catch (thrown) {
    // It stays all the same.
    await tell()
    throw thrown
  }
  const endBegun = (): Promise<void> => endBegunBy(ctx, userId, except)
  return { ...stored, endBegun, tell }
}
