import type { Learned } from '../kernel/resolved-user.ts'
import type { StoredEvent, StoredUser, User } from '../ports/records.ts'
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

/** Returns the name and the image that a user does not have, and a linked identity has (I-39). */
export function getMissing(
  { name, image }: Pick<StoredUser, 'name' | 'image'>,
  identity: Pick<StoredUser, 'name' | 'image'>,
): Partial<StoredUser> {
  return {
    ...(name === null && identity.name !== null && { name: identity.name }),
    ...(image === null && identity.image !== null && { image: identity.image }),
  }
}

/** Returns whether {@link storeLearned} has something to store. */
export function hasLearned({ verifiesEmail = false, missing = {} }: Learned): boolean {
  return verifiesEmail || Object.keys(missing).length > 0
}

/**
 * Records what a sign-in has proven about a user, if the user still has the email address, and what the user
 * still does not have.
 *
 * @param events Stored in the step
 * @returns The stored user; undefined, and nothing changed, if another user has verified the email address meanwhile
 */
export async function storeLearned(
  storage: GuardedStorage,
  { id, email }: Pick<StoredUser, 'id' | 'email'>,
  { verifiesEmail, missing }: Learned,
  events?: readonly StoredEvent[],
): Promise<StoredUser | undefined> {
  const stored = await storage.getUser(id)
  if (!stored) return undefined
  const given = { name: null, image: null, ...missing }
  // With the email address, since a new one that the user gets between the two calls is not proven.
  const isVerified = verifiesEmail && stored.email === email
  const changes = {
    ...(isVerified && { email, emailVerified: true }),
    ...getMissing(stored, given),
  }
  return hasLearned({ missing: changes }) ? storage.updateUser(id, changes, events) : stored
}
