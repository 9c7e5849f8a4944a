import type { StoredUser } from '@latchkey/core'
import type { AuthjsUser } from './adapter.ts'

/** Returns the id of a user as a string: some adapters have numbers. */
export function getUserId({ id }: Pick<AuthjsUser, 'id'>): string {
  return String(id)
}

/** Returns the stored user that an adapter found. */
export function toStoredUser(user: AuthjsUser): StoredUser {
  const { name = null, email = null, emailVerified, image = null } = user
  return { id: getUserId(user), name, email, emailVerified: Boolean(emailVerified), image }
}

/** Returns the values for an adapter to write. The time of an earlier proof of the email address stays. */
export function toAuthjsUser(
  { emailVerified, ...changes }: Partial<Omit<StoredUser, 'id'>>,
  before?: AuthjsUser,
): Partial<AuthjsUser> {
  if (emailVerified === undefined) return changes
  return { ...changes, emailVerified: emailVerified ? before?.emailVerified || new Date() : null }
}

/** Returns the whole seconds since 1970 of a date; some adapters return dates as texts. */
export function toSeconds(date: Date | string | number): number {
  return Math.floor(new Date(date).getTime() / 1000)
}

/** Returns the date of a time in seconds since 1970. */
export function toDate(seconds: number): Date {
  return new Date(seconds * 1000)
}
