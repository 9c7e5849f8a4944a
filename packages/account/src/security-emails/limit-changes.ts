import type { Context } from '@latchkey/core/capability'
import { storageLimiter } from '@latchkey/core/limiters'
import { requireStorage, spendLimit } from '@latchkey/core/capability'

/** Changes of one user that give a lasting way in: each is in an email. */
const perUser = { name: 'securityChanges', limit: { times: 10, window: 3600 } }

/**
 * Counts a change that a session can repeat: another factor, password, email address or account, or new recovery codes. What
 * ends access is not counted: an attacker who makes ten changes must not keep the user from undoing them. Neither is what
 * needs the mailbox: a password that is reset, and a sign-in that links an account.
 *
 * @throws AuthError `RateLimited` if the user has made ten in an hour; `Unavailable` if the storage fails
 */
export async function limitChange(
  { service: { storage, limits, keys }, now }: Context,
  userId: string,
): Promise<void> {
  const limiter = storageLimiter(requireStorage(storage, 'securityEmails', ['increment']))
  await spendLimit({ service: { limits, limiter, keys }, now }, perUser, userId)
}
