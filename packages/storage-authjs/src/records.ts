import type { StoredUser } from '@latchkey/core'
import type { AuthjsUser } from './adapter.ts'

/** A user of an adapter as core knows it. */
export function storedOf(user: AuthjsUser): StoredUser {
  const { name = null, email = null, emailVerified, image = null } = user
  return { id: idOf(user), name, email, emailVerified: Boolean(emailVerified), image }
}

export function idOf({ id }: Pick<AuthjsUser, 'id'>): string {
  return String(id)
}

/** What an adapter is to write. A date of proof that is there already stays. */
export function writtenOf(
  { emailVerified, ...changes }: Partial<Omit<StoredUser, 'id'>>,
  before?: AuthjsUser,
): Partial<AuthjsUser> {
  if (emailVerified === undefined) return changes
  return { ...changes, emailVerified: emailVerified ? before?.emailVerified || new Date() : null }
}

/** Whole seconds since 1970 of what an adapter gives for a date: some leave it as text. */
export function secondsOf(date: Date | string | number): number {
  return Math.floor(new Date(date).getTime() / 1000)
}

export function dateOf(seconds: number): Date {
  return new Date(seconds * 1000)
}
