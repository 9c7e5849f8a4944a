import type { StoredUser, User } from '../ports/records.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { toLowerCaseAscii } from './profile.ts'

/**
 * Returns whether two email addresses are equal, apart from the case of ASCII letters: some databases
 * compare loosely. Beyond ASCII the lower case of another letter can be the same.
 */
export function isSameEmail(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && toLowerCaseAscii(one) === toLowerCaseAscii(other)
}

/**
 * Returns whether an identity of a stored user proves the email address that the user has unverified,
 * and no other user has verified it.
 */
export async function canVerifyEmail(
  storage: GuardedStorage,
  user: StoredUser,
  identity: User,
): Promise<boolean> {
  if (user.email === null || user.emailVerified) return false
  if (!identity.emailVerified || !isSameEmail(user.email, identity.email)) return false
  const owner = await storage.getUserByEmail(user.email)
  return !owner || owner.id === user.id
}

/**
 * Records that a user has proven an email address, if the user still has it.
 *
 * @returns The stored user; undefined, and nothing changed, if another user has verified it meanwhile
 */
export async function verifyEmail(
  storage: GuardedStorage,
  { id, email }: Pick<StoredUser, 'id' | 'email'>,
): Promise<StoredUser | undefined> {
  const stored = await storage.getUser(id)
  if (stored?.email !== email) return stored
  // With the email address, since a new one that the user gets between the two calls is not proven.
  return storage.updateUser(id, { email, emailVerified: true })
}
