import type { StoredUser, UserFields } from '@latchkey/core'
import type { AuthjsUser } from './adapter.ts'

/** Returns the id of a user as a string: some adapters have numbers. */
export function getUserId({ id }: Pick<AuthjsUser, 'id'>): string {
  return String(id)
}

/** Maps users, with the application's own fields. */
export interface UserMapping {
  /** Returns the stored user that an adapter found, with its columns except {@link SECRET} ones. */
  readonly toStoredUser: (user: AuthjsUser) => StoredUser
  /**
   * Returns a new user for an adapter to write. Fields without a value are left out, so that the
   * database can have its own defaults.
   *
   * @throws TypeError if a field's value is of the wrong type
   */
  readonly toNewUser: (user: StoredUser) => AuthjsUser
  /**
   * Returns the values for an adapter to write. The time of an earlier proof of the email address stays.
   *
   * @throws TypeError if a field's value is of the wrong type
   */
  readonly toChanges: (changes: Changes, before: AuthjsUser) => Partial<AuthjsUser>
}

/**
 * Names of columns that an application keeps for itself, such as the hash of a password: a callback that
 * returns the whole user would show them. They are returned if they are declared.
 */
const SECRET = /pass_?(?:word|wd|phrase|code)|pwd|hash|salt|secret|token$|api_?key/i

type Changes = Partial<Omit<StoredUser, 'id'>>

/** Creates the mapping of users with the declared fields. */
export function createUserMapping(fields: UserFields | undefined): UserMapping {
  const declared = Object.entries(fields?.declarations ?? {})
  return {
    toStoredUser(user) {
      const row: Readonly<Record<string, unknown>> = { ...user }
      const values = declared.map(([name, field]) => [name, row[name] ?? field.default ?? null])
      const { name = null, email = null, emailVerified, image = null } = user
      const own = { id: getUserId(user), name, email, emailVerified: Boolean(emailVerified), image }
      const shown = Object.entries(user).filter(([column]) => !SECRET.test(column))
      return { ...Object.fromEntries(shown), ...Object.fromEntries(values), ...own }
    },
    toNewUser(user) {
      const values = Object.entries(Object(fields?.decode(fields.encodeUser(user))))
      const given = values.filter(([, value]) => value !== null)
      const own = { emailVerified: null, ...toOwnChanges(user), id: user.id }
      return { ...Object.fromEntries(given), ...own }
    },
    toChanges(changes, before) {
      const names = Object.keys(fields?.encodeChanges(changes) ?? {})
      const given = Object.entries(changes).filter(([name]) => names.includes(name))
      return { ...Object.fromEntries(given), ...toOwnChanges(changes, before) }
    },
  }
}

function toOwnChanges(
  { name, email, emailVerified, image }: Changes,
  before?: AuthjsUser,
): Partial<AuthjsUser> {
  const verifiedAt = emailVerified ? before?.emailVerified || new Date() : null
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(image !== undefined && { image }),
    ...(emailVerified !== undefined && { emailVerified: verifiedAt }),
  }
}

/** Returns the whole seconds since 1970 of a date; some adapters return dates as texts. */
export function toSeconds(date: Date | string | number): number {
  return Math.floor(new Date(date).getTime() / 1000)
}

/** Returns the date of a time in seconds since 1970. */
export function toDate(seconds: number): Date {
  return new Date(seconds * 1000)
}
