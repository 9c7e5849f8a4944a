/** A person to sign in as. */
export interface Person {
  /** The subject, and the last segment of the URL that the button posts to. */
  readonly id: string
  readonly firstName: string
  readonly name: string
  readonly email: string
  readonly role: Role
}

/** What a user may do in the demonstration. */
type Role = 'editor' | 'reader'

/** The people of the demonstration's identity provider. */
export const people: readonly Person[] = [
  {
    id: 'alice',
    firstName: 'Alice',
    name: 'Alice Example',
    email: 'alice@example.com',
    role: 'editor',
  },
  { id: 'bob', firstName: 'Bob', name: 'Bob Example', email: 'bob@example.com', role: 'reader' },
]

/** Returns the role of a user: only a verified email address gives more than reading. */
export function findRole(token: {
  readonly email?: unknown
  readonly email_verified?: unknown
}): Role {
  if (token.email_verified !== true) return 'reader'
  return people.find(({ email }) => email === token.email)?.role ?? 'reader'
}
