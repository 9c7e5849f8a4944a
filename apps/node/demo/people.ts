/** Somebody to sign in as. */
export interface Person {
  /** The subject, and the last part of the address that the button posts to. */
  readonly id: string
  readonly firstName: string
  readonly name: string
  readonly email: string
}

export const people: readonly Person[] = [
  { id: 'alice', firstName: 'Alice', name: 'Alice Example', email: 'alice@example.com' },
  { id: 'bob', firstName: 'Bob', name: 'Bob Example', email: 'bob@example.com' },
]
