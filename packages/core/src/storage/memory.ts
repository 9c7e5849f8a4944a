import { ConfigurationError } from '../errors.ts'
import { createCounter } from '../lib/counter.ts'
import { createSweep } from '../lib/sweep.ts'
import type {
  Account,
  NewSession,
  SessionAccount,
  StoredSession,
  StoredUser,
  VerificationToken,
} from '../ports/records.ts'
import type { AccountSessions, Storage } from '../ports/storage.ts'
import type { UserFields } from '../ports/user-fields.ts'
import { createMemoryRevocations } from './memory-revocations.ts'

/**
 * Creates a storage in this process, for tests and trials: its data ends with the process. It is the
 * reference for other storages.
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
 *
 * @throws ConfigurationError `fields`
 */
export function memoryStorage<Fields = unknown>({
  fields,
}: MemoryStorageOptions<Fields> = {}): Storage<Fields> {
  if (fields && typeof fields.decode !== 'function') {
    throw new ConfigurationError('fields', 'must be created by userFields(…)')
  }
  const sessions: Tables['sessions'] = new Map()
  const sweepSessions = createSweep(sessions)
  const tables: Tables = { users: new Map(), accounts: new Map(), sessions, sweepSessions }
  const storage: Storage = {
    ...createUserMethods(tables, fields),
    ...createAccountMethods(tables),
    ...createSessionMethods(tables),
    ...createTokenMethods(),
    increment: createCounter(),
    ...createMemoryRevocations(),
  }
  return { ...(storage as Storage<Fields>), ...(fields && { fields }) }
}

/** The options of {@link memoryStorage}. */
export interface MemoryStorageOptions<Fields = unknown> {
  /** The application's own fields of a user. Default: none */
  readonly fields?: UserFields<Fields>
}

interface Tables {
  readonly users: Map<string, StoredUser>
  readonly accounts: Map<string, { readonly userId: string; readonly account: Account }>
  readonly sessions: Map<string, StoredSession>
  readonly sweepSessions: ReturnType<typeof createSweep<StoredSession>>
}

type UserMethod =
  'createUser' | 'getUser' | 'getUserByEmail' | 'getUserByAccount' | 'updateUser' | 'deleteUser'

function createUserMethods(
  tables: Tables,
  fields: UserFields | undefined,
): Pick<Storage, UserMethod> {
  const { users, accounts, sessions } = tables
  const findOwner = (email: string | null): StoredUser | undefined =>
    [...users.values()].find((user) => email !== null && hasVerified(user, email))
  const isTaken = ({ id, email, emailVerified }: StoredUser): boolean =>
    emailVerified && (findOwner(email)?.id ?? id) !== id
  return {
    async createUser(given, account, session) {
      const user = copyUser(given, fields?.decode(fields.encodeUser(given)))
      if (users.has(user.id) || isTaken(user)) return undefined
      if (account && accounts.has(toAccountKey(account))) return undefined
      users.set(user.id, user)
      if (account) accounts.set(toAccountKey(account), { userId: user.id, account })
      if (session) insertSession(tables, user.id, session)
      return user
    },
    getUser: async (id) => users.get(id),
    getUserByEmail: async (email) => findOwner(email),
    async getUserByAccount(provider, providerAccountId) {
      const entry = accounts.get(toAccountKey({ provider, providerAccountId }))
      return entry && users.get(entry.userId)
    },
    async updateUser(id, changes) {
      const user = users.get(id)
      const updated = user && changeUser(user, changes, fields)
      if (!updated || isTaken(updated)) return undefined
      users.set(id, updated)
      return updated
    },
    async deleteUser(id) {
      for (const [key, { userId }] of accounts) if (userId === id) accounts.delete(key)
      for (const [key, { userId }] of sessions) if (userId === id) sessions.delete(key)
      users.delete(id)
    },
  }
}

type AccountMethod = 'linkAccount' | 'listAccounts' | 'updateAccount' | 'unlinkAccount'

function createAccountMethods({ users, accounts }: Tables): Pick<Storage, AccountMethod> {
  const list = (userId: string): Account[] =>
    [...accounts.values()].filter((entry) => entry.userId === userId).map(({ account }) => account)
  return {
    async linkAccount(userId, account, verifiedEmail) {
      const key = toAccountKey(account)
      const user = users.get(userId)
      if (!user || accounts.has(key)) return false
      if (verifiedEmail !== undefined && !hasVerified(user, verifiedEmail)) return false
      accounts.set(key, { userId, account })
      return true
    },
    listAccounts: async (userId) => list(userId),
    async updateAccount(provider, providerAccountId, tokens, expected) {
      const key = toAccountKey({ provider, providerAccountId })
      const entry = accounts.get(key)
      if (!entry) return false
      if (expected !== undefined && entry.account.refresh_token !== expected) return false
      const { expires_at, ...kept } = entry.account
      const isSame = tokens.access_token === undefined && expires_at !== undefined
      const account = { ...kept, ...(isSame && { expires_at }), ...tokens }
      accounts.set(key, { ...entry, account })
      return true
    },
    async unlinkAccount(userId, provider, providerAccountId) {
      const key = toAccountKey({ provider, providerAccountId })
      if (accounts.get(key)?.userId !== userId || list(userId).length < 2) return false
      return accounts.delete(key)
    },
  }
}

type SessionMethod =
  | 'createSession'
  | 'getSessionAndUser'
  | 'updateSession'
  | 'deleteSession'
  | 'listSessions'
  | 'deleteSessions'
  | 'deleteAccountSessions'

function createSessionMethods(tables: Tables): Pick<Storage, SessionMethod> {
  const { users, sessions } = tables
  return {
    async createSession(userId, session) {
      if (!users.has(userId)) return false
      insertSession(tables, userId, session)
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
    async deleteAccountSessions(wanted) {
      const found = [...sessions.values()].filter(({ account }) => isWanted(account, wanted))
      for (const { id } of found) sessions.delete(id)
      return found.map(({ id }) => id)
    },
  }
}

type TokenMethod = 'createVerificationToken' | 'useVerificationToken'

function createTokenMethods(): Pick<Storage, TokenMethod> {
  const tokens = new Map<string, VerificationToken>()
  const sweep = createSweep(tokens)
  return {
    async createVerificationToken(token) {
      tokens.set(toTokenKey(token), token)
    },
    async useVerificationToken(identifier, token, now) {
      const key = toTokenKey({ identifier, token })
      const kept = tokens.get(key)
      tokens.delete(key)
      sweep(({ expires }) => expires <= now)
      return kept && kept.expires > now ? kept : undefined
    },
  }
}

function insertSession(
  { sessions, sweepSessions }: Tables,
  userId: string,
  { replaces, ...session }: NewSession,
): void {
  if (replaces !== undefined) sessions.delete(replaces)
  sweepSessions(({ expires }) => expires <= session.createdAt)
  sessions.set(session.id, { ...session, userId })
}

function isWanted(
  account: SessionAccount | undefined,
  { provider, providerAccountId, sid }: AccountSessions,
): boolean {
  if (account?.provider !== provider) return false
  if (providerAccountId === undefined) return sid !== undefined && account.sid === sid
  if (account.providerAccountId !== providerAccountId) return false
  return sid === undefined || account.sid === sid
}

function changeUser(
  user: StoredUser,
  changes: Partial<StoredUser>,
  fields: UserFields | undefined,
): StoredUser {
  const reset = changes.email === undefined ? {} : { emailVerified: false }
  const columns = fields && { ...fields.encodeUser(user), ...fields.encodeChanges(changes) }
  return copyUser({ ...user, ...reset, ...changes, id: user.id }, columns && fields.decode(columns))
}

/** Returns a user with these fields only: undeclared members are not kept. */
function copyUser(user: StoredUser, values: unknown): StoredUser {
  const { id, name, email, emailVerified, image } = user
  return { id, name, email, emailVerified, image, ...(values as object | undefined) }
}

function hasVerified(user: StoredUser, email: string): boolean {
  return user.emailVerified && user.email === email
}

function toAccountKey({
  provider,
  providerAccountId,
}: Pick<Account, 'provider' | 'providerAccountId'>): string {
  return `${provider} ${providerAccountId}`
}

function toTokenKey({ identifier, token }: Omit<VerificationToken, 'expires'>): string {
  return `${token} ${identifier}`
}
