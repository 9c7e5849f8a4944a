import type { Account, NewSession, StoredUser } from '@latchkey/core'

/** Any time: the storage has no clock of its own. */
export const NOW = 1_900_000_000

export function aUser(over: Partial<StoredUser> = {}): StoredUser {
  const id = crypto.randomUUID()
  const email = `${id}@example.com`
  return { id, name: 'Alice', email, emailVerified: true, image: null, ...over }
}

export function anAccount(over: Partial<Account> = {}): Account {
  return {
    provider: 'passport',
    type: 'oauth',
    providerAccountId: crypto.randomUUID(),
    ...over,
  }
}

export function aSession(over: Partial<NewSession> = {}): NewSession {
  const id = crypto.randomUUID()
  return { id, createdAt: NOW, renewedAt: NOW, expires: NOW + 60, data: '{}', ...over }
}
