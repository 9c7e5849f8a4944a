import type { Account, NewSession, StoredUser } from '@latchkey/core'

/** When the test file was loaded, in seconds since 1970. A real time, because Redis expires keys by one. */
export const NOW: number = Math.floor(Date.now() / 1000)

/** Seconds. */
export const HOUR = 3600

interface UserWithEmail extends StoredUser {
  readonly email: string
}

/** Builds a user with a new id and a new email address. */
export function buildUser(over: Partial<UserWithEmail> = {}): UserWithEmail {
  const id = crypto.randomUUID()
  const email = `${id}@example.com`
  return { id, name: 'Alice', email, emailVerified: true, image: null, ...over }
}

/** Builds an account that is not linked yet, without tokens. */
export function buildAccount(over: Partial<Account> = {}): Account {
  const providerAccountId = crypto.randomUUID()
  return { provider: 'passport', type: 'oauth', providerAccountId, ...over }
}

/** Builds a session with a new id that begins at {@link NOW} and lasts one hour. */
export function buildSession(over: Partial<NewSession> = {}): NewSession {
  const id = crypto.randomUUID()
  return { id, createdAt: NOW, renewedAt: NOW, expires: NOW + HOUR, data: '{}', ...over }
}
