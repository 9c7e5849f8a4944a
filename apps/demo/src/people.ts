/** A person to sign in as. */
export interface Person {
  /** The subject, and the last segment of the URL that the button posts to. */
  readonly id: string
  readonly firstName: string
  readonly name: string
  readonly email: string
}

/** The people of the demonstration's identity provider. */
export const people: readonly Person[] = [
  { id: 'alice', firstName: 'Alice', name: 'Alice Example', email: 'alice@example.com' },
  { id: 'bob', firstName: 'Bob', name: 'Bob Example', email: 'bob@example.com' },
]
