import { ConfigurationError } from '../lib/errors.ts'
import { createCounter } from '../lib/counter.ts'
import { createSweep } from '../lib/sweep.ts'
import type {
  Account,
  NewSession,
  SessionAccount,
  StoredEvent,
  StoredSession,
  StoredUser,
  VerificationToken,
} from '../ports/records.ts'
import type {
  AccountKey,
  AccountSessions,
  Storage,
  UnverifiedUsers,
  UserLists,
} from '../ports/storage.ts'
import type { UserFields } from '../ports/user-fields.ts'
import { countFactors, createMemoryFactors, hasFactor, insertFactor } from './memory-factors.ts'
import type { FactorTable } from './memory-factors.ts'
import { createMemoryClients, createMemoryGrants } from './memory-grants.ts'
import type { GrantTable } from './memory-grants.ts'
import { createMemoryOutbox } from './memory-outbox.ts'
import type { StoreEvents } from './memory-outbox.ts'
import { createMemoryRevocations } from './memory-revocations.ts'
import { createMemorySteps } from './memory-steps.ts'
import { storedUsers } from '../api/stored-users.ts'
import { toStored, toWays } from './ways.ts'
import type { FactorTypes } from './ways.ts'
import { isObject } from '../lib/members.ts'

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
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     storage: memoryStorage(),
 *   })
 *
 * @throws ConfigurationError `fields`
 */
export function memoryStorage<Fields = unknown>(
  options?: MemoryStorageOptions<Fields>,
): Storage<Fields>
export function memoryStorage({ fields }: MemoryStorageOptions = {}): Storage {
  if (fields && typeof fields.decode !== 'function') {
    throw new ConfigurationError('fields', 'must be created by userFields(…)')
  }
  const sessions: Tables['sessions'] = new Map()
  const sweepSessions = createSweep(sessions)
  const { storeEvents, ...outbox } = createMemoryOutbox()
  const maps = { users: new Map(), accounts: new Map(), factors: new Map(), grants: new Map() }
  const tables: Tables = { ...maps, sessions, sweepSessions, storeEvents }
  const storage: Storage = {
    storedUsers,
    ...createUserMethods(tables, fields),
    ...createAccountMethods(tables),
    ...createSessionMethods(tables),
    ...createMemoryFactors(tables, (...given) => countWays(tables, ...given)),
    ...createMemoryGrants(tables),
    ...createMemoryClients(tables),
    ...createTokenMethods(),
    ...createMemorySteps(),
    increment: createCounter(),
    ...createMemoryRevocations(),
    ...outbox,
  }
  return { ...storage, ...(fields && { fields }) }
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
  readonly factors: FactorTable
  readonly grants: GrantTable
  readonly sweepSessions: ReturnType<typeof createSweep<StoredSession>>
  readonly storeEvents: StoreEvents
}

type UserMethod =
  'createUser' | 'getUser' | 'getUserByEmail' | 'getUserByAccount' | 'updateUser' | 'deleteUser'

function createUserMethods(
  tables: Tables,
  fields: UserFields | undefined,
): Pick<Storage, UserMethod> & UserLists & UnverifiedUsers {
  const { users, accounts, factors, storeEvents } = tables
  const findOwner = (email: string | null): StoredUser | undefined =>
    [...users.values()].find((user) => email !== null && hasVerified(user, email))
  const isTaken = ({ id, email, emailVerified }: StoredUser): boolean =>
    emailVerified && (findOwner(email)?.id ?? id) !== id
  return {
    async createUser(given, account, session, events, ...added) {
      const user = copyUser(given, fields?.decode(fields.encodeUser(given)))
      if (users.has(user.id) || isTaken(user)) return undefined
      if (account && accounts.has(toAccountKey(account))) return undefined
      if (added.some((factor) => hasFactor(factors, factor))) return undefined
      users.set(user.id, user)
      if (account) accounts.set(toAccountKey(account), { userId: user.id, account })
      for (const factor of added) insertFactor(factors, user.id, factor)
      if (session) insertSession(tables, user.id, session)
      storeEvents(events)
      return user
    },
    getUser: async (id) => users.get(id),
    getUserByEmail: async (email) => findOwner(email),
    async getUserByAccount(provider, providerAccountId) {
      const entry = accounts.get(toAccountKey({ provider, providerAccountId }))
      return entry && users.get(entry.userId)
    },
    async updateUser(id, changes, events) {
      const user = users.get(id)
      const updated = user && changeUser(user, changes, fields)
      if (!updated || isTaken(updated)) return undefined
      users.set(id, updated)
      storeEvents(events)
      return updated
    },
    deleteUser: async (id, events) => removeUser(tables, id, events),
    listUsers: async (limit, after = '') => listUsers(users.values(), limit, after),
    listUsersByEmail: async (email, limit) => findByEmail(tables, email).slice(0, limit),
    async joinUser(id, email, kept, events) {
      const [user, ...others] = findByEmail(tables, email)
      if (user?.id !== id || user.emailVerified || others.length > 0) return undefined
      const joined = { ...user, emailVerified: true }
      removeWays(tables, id, kept)
      users.set(id, joined)
      storeEvents(events)
      return joined
    },
  }
}

function findByEmail({ users }: Tables, wanted: string): StoredUser[] {
  return [...users.values()].filter(({ email }) => email === wanted)
}

function listUsers(users: Iterable<StoredUser>, limit: number, after: string): StoredUser[] {
  const next = [...users].filter(({ id }) => id > after)
  return next.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
}

function removeUser(tables: Tables, id: string, events: readonly StoredEvent[] | undefined): void {
  removeWays(tables, id)
  tables.users.delete(id)
  tables.storeEvents(events)
}

/** Removes the sessions, factors and grants of a user, and the accounts except those to keep. */
function removeWays(
  { accounts, sessions, factors, grants }: Tables,
  id: string,
  kept: readonly AccountKey[] = [],
): void {
  const keys = new Set(kept.map(toAccountKey))
  for (const [key, { userId }] of accounts)
    if (userId === id && !keys.has(key)) accounts.delete(key)
  for (const [key, { userId }] of sessions) if (userId === id) sessions.delete(key)
  for (const [key, { userId }] of factors) if (userId === id) factors.delete(key)
  for (const [key, { userId }] of grants) if (userId === id) grants.delete(key)
}

type AccountMethod = 'linkAccount' | 'listAccounts' | 'updateAccount' | 'unlinkAccount'

function createAccountMethods(tables: Tables): Pick<Storage, AccountMethod> {
  const { users, accounts, storeEvents } = tables
  return {
    async linkAccount(userId, account, verifiedEmail, events, backups) {
      const key = toAccountKey(account)
      const user = users.get(userId)
      if (!user || accounts.has(key)) return false
      const canSignIn = (): boolean => countWays(tables, userId, toStored(backups)) > 0
      if (verifiedEmail === null && (user.emailVerified || canSignIn())) return false
      if (typeof verifiedEmail === 'string' && !hasVerified(user, verifiedEmail)) return false
      accounts.set(key, { userId, account })
      storeEvents(events)
      return true
    },
    listAccounts: async (userId) => listAccounts(tables, userId),
    async updateAccount(provider, providerAccountId, changes, expected) {
      const key = toAccountKey({ provider, providerAccountId })
      const entry = accounts.get(key)
      if (!entry) return false
      if (expected !== undefined && entry.account.refresh_token !== expected) return false
      const { expires_at, ...kept } = entry.account
      const isSame = changes.access_token === undefined && expires_at !== undefined
      const account = { ...kept, ...(isSame && { expires_at }), ...changes }
      accounts.set(key, { ...entry, account })
      return true
    },
    async unlinkAccount(userId, provider, providerAccountId, events, signsInBy) {
      const key = toAccountKey({ provider, providerAccountId })
      if (accounts.get(key)?.userId !== userId) return false
      if (countWays(tables, userId, toWays(signsInBy)) < 2) return false
      accounts.delete(key)
      storeEvents(events)
      return true
    },
  }
}

function listAccounts({ accounts }: Tables, userId: string): Account[] {
  return [...accounts.values()]
    .filter((entry) => entry.userId === userId)
    .map(({ account }) => account)
}

/** Returns the number of a user's accounts, and factors of some types. */
function countWays(tables: Tables, userId: string, types: FactorTypes): number {
  return listAccounts(tables, userId).length + countFactors(tables.factors, userId, types)
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
  const { users, sessions, storeEvents } = tables
  return {
    async createSession(userId, session, events) {
      if (!users.has(userId)) return false
      insertSession(tables, userId, session)
      markUsed(tables, userId, session)
      storeEvents(events)
      return true
    },
    async getSessionAndUser(id, now) {
      const session = sessions.get(id)
      const user = session && users.get(session.userId)
      return user && session.expires > now ? { session, user } : undefined
    },
    async updateSession(id, changes, events) {
      const session = sessions.get(id)
      if (!session) return false
      sessions.set(id, { ...session, ...changes })
      storeEvents(events)
      return true
    },
    async deleteSession(id, events) {
      sessions.delete(id)
      storeEvents(events)
    },
    async listSessions(userId, now) {
      const live = findSessions(tables, userId).filter(({ expires }) => expires > now)
      return live.toSorted((a, b) => b.createdAt - a.createdAt)
    },
    async deleteSessions(userId, except, events) {
      for (const { id } of findSessions(tables, userId)) if (id !== except) sessions.delete(id)
      storeEvents(events)
    },
    async deleteAccountSessions(wanted, events) {
      const ids = removeAccountSessions(tables, wanted)
      if (hasCondition(wanted)) storeEvents(events, ids)
      return ids
    },
  }
}

type TokenMethod = 'createVerificationToken' | 'useVerificationToken'

function createTokenMethods(): Pick<Storage, TokenMethod> {
  const tokens = new Map<string, VerificationToken>()
  const sweep = createSweep(tokens)
  return {
    async createVerificationToken(token) {
      const key = toTokenKey(token)
      if (tokens.has(key)) throw new Error('the verification token is stored already')
      tokens.set(key, token)
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

/** Sets when the account of a new session was last used. */
function markUsed(
  { accounts }: Tables,
  userId: string,
  { account: named, createdAt }: NewSession,
): void {
  const key = named && toAccountKey(named)
  const entry = key === undefined ? undefined : accounts.get(key)
  if (key === undefined || entry?.userId !== userId) return
  const { account } = entry
  if ((account.lastUsedAt ?? -Infinity) >= createdAt) return
  accounts.set(key, { userId, account: { ...account, lastUsedAt: createdAt } })
}

function findSessions({ sessions }: Tables, userId: string): StoredSession[] {
  return [...sessions.values()].filter((session) => session.userId === userId)
}

function removeAccountSessions({ sessions }: Tables, wanted: AccountSessions): string[] {
  const found = [...sessions.values()].filter(({ account }) => isWanted(account, wanted))
  const ids = found.map(({ id }) => id)
  for (const id of ids) sessions.delete(id)
  return ids
}

function hasCondition({ providerAccountId, sid }: AccountSessions): boolean {
  return (providerAccountId ?? sid) !== undefined
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
  return { id, name, email, emailVerified, image, ...(isObject(values) && values) }
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
