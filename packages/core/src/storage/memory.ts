import { createCounter, sweep } from '../lib/counter.ts'
import type {
  Account,
  NewSession,
  Revocation,
  StoredSession,
  StoredUser,
  VerificationToken,
} from '../ports/records.ts'
import type { Storage } from '../ports/storage.ts'

/**
 * A storage in this process, gone with it: for tests, and for trying things out. It is what the other
 * storages are measured by.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { memoryStorage } from '@latchkey/core/memory'
 *   import { github } from '@latchkey/core/providers/github'
 *
 *   const auth = createAuth({
 *     secret: 'at least thirty-two random bytes, kept secret',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     storage: memoryStorage(),
 *   })
 */
export function memoryStorage(): Storage {
  const users = new Map<string, StoredUser>()
  const accounts = new Map<string, { readonly userId: string; readonly account: Account }>()
  const sessions = new Map<string, StoredSession>()
  const tokens = new Map<string, VerificationToken>()
  const revocations = new Map<string, Revocation>()

  const ownerOf = (email: string | null): StoredUser | undefined =>
    email === null ? undefined : [...users.values()].find((user) => user.email === email)
  const accountsOf = (userId: string): Account[] =>
    [...accounts.values()].filter((entry) => entry.userId === userId).map(({ account }) => account)
  const begin = (userId: string, { replaces, ...session }: NewSession): void => {
    if (replaces !== undefined) sessions.delete(replaces)
    sweep(sessions, ({ expires }) => expires <= session.createdAt)
    sessions.set(session.id, { ...session, userId })
  }

  return {
    async createUser(user, account, session) {
      if (users.has(user.id) || ownerOf(user.email)) return undefined
      if (account && accounts.has(accountKey(account))) return undefined
      users.set(user.id, user)
      if (account) accounts.set(accountKey(account), { userId: user.id, account })
      if (session) begin(user.id, session)
      return user
    },
    getUser: async (id) => users.get(id),
    getUserByEmail: async (email) => ownerOf(email),
    async getUserByAccount(provider, providerAccountId) {
      const entry = accounts.get(accountKey({ provider, providerAccountId }))
      return entry && users.get(entry.userId)
    },
    async updateUser(id, changes) {
      const user = users.get(id)
      const owner = ownerOf(changes.email ?? null)
      if (!user || (owner && owner.id !== id)) return undefined
      const updated = { ...user, ...changes }
      users.set(id, updated)
      return updated
    },
    async deleteUser(id) {
      for (const account of accountsOf(id)) accounts.delete(accountKey(account))
      for (const session of sessions.values())
        if (session.userId === id) sessions.delete(session.id)
      users.delete(id)
    },

    async linkAccount(userId, account) {
      const key = accountKey(account)
      if (!users.has(userId) || accounts.has(key)) return false
      accounts.set(key, { userId, account })
      return true
    },
    listAccounts: async (userId) => accountsOf(userId),
    async updateAccount(provider, providerAccountId, given, expected) {
      const key = accountKey({ provider, providerAccountId })
      const entry = accounts.get(key)
      if (!entry) return false
      if (expected !== undefined && entry.account.refresh_token !== expected) return false
      const { expires_at, ...kept } = entry.account
      const end = given.access_token === undefined && expires_at !== undefined ? { expires_at } : {}
      accounts.set(key, { ...entry, account: { ...kept, ...end, ...given } })
      return true
    },
    async unlinkAccount(userId, provider, providerAccountId) {
      const key = accountKey({ provider, providerAccountId })
      if (accounts.get(key)?.userId !== userId || accountsOf(userId).length < 2) return false
      return accounts.delete(key)
    },

    async createSession(userId, session) {
      if (!users.has(userId)) return false
      begin(userId, session)
      return true
    },
    async getSessionAndUser(id, now) {
      const session = sessions.get(id)
      const user = session && users.get(session.userId)
      return user && session.expires > now ? { session, user } : undefined
    },
    async updateSession(id, changes) {
      const session = sessions.get(id)
      if (session) sessions.set(id, { ...session, ...changes })
      return session !== undefined
    },
    async deleteSession(id) {
      sessions.delete(id)
    },
    async listSessions(userId, now) {
      return [...sessions.values()]
        .filter((session) => session.userId === userId && session.expires > now)
        .toSorted((a, b) => b.createdAt - a.createdAt)
    },
    async deleteSessions(userId, except) {
      for (const { id, userId: owner } of sessions.values()) {
        if (owner === userId && id !== except) sessions.delete(id)
      }
    },

    async createVerificationToken(token) {
      tokens.set(tokenKey(token), token)
    },
    async useVerificationToken(identifier, token, now) {
      const key = tokenKey({ identifier, token })
      const kept = tokens.get(key)
      tokens.delete(key)
      sweep(tokens, ({ expires }) => expires <= now)
      return kept && kept.expires > now ? kept : undefined
    },

    increment: createCounter(),

    async createRevocation({ key, revokedAt, expires }) {
      sweep(revocations, (revocation) => revocation.expires <= revokedAt)
      const former = revocations.get(key)
      revocations.set(key, {
        key,
        revokedAt: Math.max(revokedAt, former?.revokedAt ?? 0),
        expires: Math.max(expires, former?.expires ?? 0),
      })
    },
    async getRevocation(key, now) {
      const revocation = revocations.get(key)
      return revocation && revocation.expires > now ? revocation.revokedAt : undefined
    },
  }
}

function accountKey({
  provider,
  providerAccountId,
}: Pick<Account, 'provider' | 'providerAccountId'>): string {
  return `${provider} ${providerAccountId}`
}

function tokenKey({ identifier, token }: Omit<VerificationToken, 'expires'>): string {
  return `${token} ${identifier}`
}
