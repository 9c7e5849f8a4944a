import type { TOTP } from 'otpauth'
import type { Device } from '../../../../passkeys/test/support/device.ts'

/** A way in which a person signs in. */
export type Way = 'passport' | 'other' | 'members' | 'email' | 'passwords' | 'passkey' | 'import'

/** A person who uses browsers: Alice and Bob use theirs, Mallory attacks them. */
export interface Person {
  readonly name: 'alice' | 'bob' | 'mallory'
  readonly email: string
  /** What the person types at `members`, which the application checks itself. */
  readonly memberPassword: string
  /** What the person has chosen at `passwords`; undefined before. */
  password: string | undefined
  /** The id of the user that each way has signed in last. */
  readonly users: Map<Way, string>
}

/** What the person of a stored user holds. */
export interface Keys {
  readonly person: Person
  app: TOTP | undefined
  codes: readonly string[]
  devices: readonly Device[]
  /** Whether the service has said that the user has a second factor. */
  hasSecond: boolean
}

/** Creates a person who has not signed in yet. */
export function createPerson(name: Person['name']): Person {
  return {
    name,
    email: `${name}@example.com`,
    memberPassword: `the member password of ${name}`,
    password: undefined,
    users: new Map(),
  }
}
