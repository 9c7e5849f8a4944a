import type { AccountSessions, NewSession, Storage, StorageGroup } from '@latchkey/core'
import { getCapabilities } from '@latchkey/core/unstable'
import type { IndexedSession } from './methods.ts'
import type { CallObject } from './objects.ts'
import { createOwners } from './owners.ts'
import type { Owners } from './owners.ts'

type SessionMethods = Pick<
  Storage,
  | 'createUser'
  | 'deleteUser'
  | 'createSession'
  | 'getSessionAndUser'
  | 'updateSession'
  | 'deleteSession'
  | 'listSessions'
  | 'deleteSessions'
  | 'deleteAccountSessions'
>

/** The storage of the users, and what the sessions are kept by. */
interface Parts {
  readonly storage: Storage
  readonly call: CallObject
  readonly owners: Owners
}

/**
 * Creates the methods for sessions. The object of a user holds all sessions of the user, so that they begin
 * and end in one step, and nothing else decides whether a session exists. What finds that object by a session's
 * id, or by the account that a session began through, is written before the session and is not deleted with it.
 */
export function createSessionMethods(storage: Storage, call: CallObject): SessionMethods {
  const parts: Parts = { storage, call, owners: createOwners(call) }
  return {
    createUser: (...args) => createUser(parts, ...args),
    async deleteUser(id) {
      await deleteSessions(parts, id)
      await storage.deleteUser(id)
      // A session that began meanwhile would be another user's, if the application uses the id again.
      await deleteSessions(parts, id)
    },
    async createSession(userId, session) {
      const [user, isUnused] = await Promise.all([
        storage.getUser(userId),
        isUnusedSince(storage, userId, session),
      ])
      if (!user) return false
      if (isUnused) await markUsed(storage, session)
      await createSession(parts, userId, session)
      return true
    },
    getSessionAndUser: (id, now) => getSessionAndUser(parts, id, now),
    updateSession: (id, changes) => updateSession(parts, id, changes),
    deleteSession: (id) => deleteSession(parts, id),
    async listSessions(userId, now) {
      const sessions = await call('user', userId, 'repeatable', (user) => user.listSessions(now))
      return sessions
        .map((session) => ({ ...session, userId }))
        .toSorted((a, b) => b.createdAt - a.createdAt)
    },
    deleteSessions: (userId, except) => deleteSessions(parts, userId, except),
    deleteAccountSessions: (sessions) => deleteAccountSessions(parts, sessions),
  }
}

/** Users are in another storage: if the session cannot be stored, the user is deleted again. */
async function createUser(
  parts: Parts,
  ...[user, account, session, , ...factors]: Parameters<Storage['createUser']>
): ReturnType<Storage['createUser']> {
  const { storage } = parts
  const created = await storage.createUser(user, account, undefined, undefined, ...factors)
  if (!created || !session) return created
  try {
    await createSession(parts, created.id, session)
  } catch (thrown) {
    await storage.deleteUser(created.id)
    throw thrown
  }
  return created
}

async function createSession(parts: Parts, userId: string, session: NewSession): Promise<void> {
  const { call } = parts
  await keepFindable(parts, { ...session, userId })
  const { replaces } = session
  const isReplaced = await call('user', userId, 'repeatable', (user) => user.createSession(session))
  // The previous session may be of another user, and so in another object.
  if (replaces !== undefined && !isReplaced) await deleteSession(parts, replaces)
}

const needed: readonly StorageGroup[] = ['accountTimes', 'accountLists', 'accountUpdates']

/** Returns whether a new session is through an account of the user that the storage says was last used before it. */
async function isUnusedSince(
  storage: Storage,
  userId: string,
  { account, createdAt }: NewSession,
): Promise<boolean> {
  const groups = getCapabilities(storage)
  if (!account || !needed.every((group) => groups.includes(group))) return false
  const accounts = await storage.listAccounts(userId)
  return accounts.some(
    ({ provider, providerAccountId, lastUsedAt = -Infinity }) =>
      provider === account.provider &&
      providerAccountId === account.providerAccountId &&
      lastUsedAt < createdAt,
  )
}

/** Sets when the account of a new session was last used. It is in the storage of the user: before the session, so that a failure stores none. */
async function markUsed(storage: Storage, { account, createdAt }: NewSession): Promise<void> {
  if (!account) return
  const { provider, providerAccountId } = account
  await storage.updateAccount(provider, providerAccountId, { lastUsedAt: createdAt })
}

/** Writes, or keeps for longer, what finds a session. */
async function keepFindable(
  { call, owners }: Parts,
  { id, userId, expires, account }: Omit<NewSession, 'replaces'> & { readonly userId: string },
): Promise<void> {
  const indexes = account ? toIndexes(account) : []
  const session: IndexedSession = { id, userId }
  await Promise.all([
    owners.set(id, userId, expires),
    ...indexes.map((index) =>
      call('shared', index, 'repeatable', (object) => object.addToIndex(index, session, expires)),
    ),
  ])
}

async function getSessionAndUser(
  { storage, call, owners }: Parts,
  ...[id, now]: Parameters<Storage['getSessionAndUser']>
): ReturnType<Storage['getSessionAndUser']> {
  return owners.find(id, async (userId) => {
    const [session, user] = await Promise.all([
      call('user', userId, 'repeatable', (object) => object.getSession(id, now)),
      storage.getUser(userId),
    ])
    return session && user && { session: { ...session, userId }, user }
  })
}

async function updateSession(
  parts: Parts,
  ...[id, changes]: Parameters<Storage['updateSession']>
): Promise<boolean> {
  const { call, owners } = parts
  const isUpdated = await owners.find(id, async (userId) => {
    const session = await call('user', userId, 'repeatable', (user) => user.getSession(id))
    if (!session) return undefined
    await keepFindable(parts, { ...session, ...changes, userId })
    return call('user', userId, 'repeatable', (user) => user.updateSession(id, changes))
  })
  return isUpdated ?? false
}

async function deleteSession({ call, owners }: Parts, id: string): Promise<void> {
  await owners.find(id, async (userId) => {
    const condition = { ids: [id] }
    const ids = await call('user', userId, 'repeatable', (user) => user.deleteSessions(condition))
    return ids[0]
  })
}

async function deleteSessions({ call }: Parts, userId: string, except?: string): Promise<void> {
  await call('user', userId, 'repeatable', (user) => user.deleteSessions({ except }))
}

async function deleteAccountSessions(
  { call }: Parts,
  { provider, providerAccountId, sid }: AccountSessions,
): Promise<readonly string[]> {
  // A session of the provider has fewer sessions than an account.
  const index = toIndexes({ provider, providerAccountId, sid }).at(-1)
  if (index === undefined) return []
  const indexed = await call('shared', index, 'repeatable', (object) => object.listIndex(index))
  const condition = { ids: indexed.map(({ id }) => id), providerAccountId }
  const deleted = Array.from(new Set(indexed.map(({ userId }) => userId)), (userId) =>
    call('user', userId, 'repeatable', (user) => user.deleteSessions(condition)),
  )
  return (await Promise.all(deleted)).flat()
}

/** Returns the indexes that a session is in: of its account, and of the provider's session. */
function toIndexes({ provider, providerAccountId, sid }: AccountSessions): readonly string[] {
  return [
    ...(providerAccountId === undefined
      ? []
      : [JSON.stringify(['account', provider, providerAccountId])]),
    ...(sid === undefined ? [] : [JSON.stringify(['sid', provider, sid])]),
  ]
}
