import { readMember } from '../lib/members.ts'
import type { StoredUser } from '../ports/records.ts'
import type { UserFields } from '../ports/user-fields.ts'
import { copyProfile } from '../sign-in/profile.ts'

/** What `auth.users.update` changes. A member that is undefined stays. */
export type UserChanges<Fields = unknown> = {
  readonly [Name in Exclude<keyof StoredUser, 'id'>]?: StoredUser[Name] | undefined
} & { readonly [Name in keyof Fields]?: Fields[Name] | undefined }

const expected: ReadonlyMap<string, string> = new Map([
  ['name', 'a text of 1 to 255 characters without control characters, or null'],
  ['email', 'an email address of at most 254 characters, or null'],
  ['image', 'an http(s) URL of at most 2048 characters, or null'],
])

/**
 * Returns changes as they are stored: those of a profile as I-40 says.
 *
 * @throws TypeError naming the member that users do not have, or whose value is invalid
 */
export function checkChanges(
  fields: UserFields | undefined,
  { ...changes }: UserChanges,
): Partial<StoredUser> {
  const { email, emailVerified } = changes
  const copied = copyProfile({ profile: changes })
  const declared = Object.keys(fields?.declarations ?? {})
  fields?.encodeChanges(changes)
  if (emailVerified !== undefined && (typeof emailVerified !== 'boolean' || !email)) {
    throw new TypeError(
      'emailVerified must be a boolean, beside the email address that it is about',
    )
  }
  const checked = Object.entries<unknown>(changes).flatMap(([name, value]) => {
    if (value === undefined) return []
    const rule = expected.get(name)
    if (rule === undefined) {
      if (name === 'emailVerified' || declared.includes(name)) return [[name, value]]
      throw new TypeError(`${name} is not a member of users that can be changed`)
    }
    const kept = readMember(copied, name)
    // A shortened name would be another one; email addresses and URLs have a canonical form.
    const isKept = name === 'name' ? kept === value : value === null || kept !== null
    if (!isKept) throw new TypeError(`${name} must be ${rule}`)
    return [[name, kept]]
  })
  return Object.fromEntries(checked)
}
