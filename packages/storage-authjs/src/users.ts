import type { Account, NewSession, Storage, StoredUser } from '@latchkey/core'
import { needs } from './adapter.ts'
import type { AccountName, AuthjsUser, UsableAdapter } from './adapter.ts'
import { idOf, storedOf, writtenOf } from './records.ts'
import { begin } from './sessions.ts'
import { remove, tryTo, unlessTaken } from './steps.ts'

type UserVerbs = Pick<
  Storage,
  | 'createUser'
  | 'getUser'
  | 'getUserByEmail'
  | 'getUserByAccount'
  | 'updateUser'
  | 'deleteUser'
  | 'linkAccount'
>

/** Users and their accounts. */
export function userVerbs(adapter: UsableAdapter): UserVerbs {
  return {
    async createUser(user, account, session) {
      if (account && (await isLinked(adapter, account))) return undefined
      const kept = await insert(adapter, user)
      return kept && complete(adapter, kept, account, session)
    },
    getUser: async (id) => stored(await adapter.getUser(id)),
    async getUserByEmail(email) {
      const user = await adapter.getUserByEmail(email)
      return user && isSame(user.email, email) ? storedOf(user) : undefined
    },
    async getUserByAccount(provider, providerAccountId) {
      const name = { provider, providerAccountId }
      const user = await adapter.getUserByAccount(name)
      return user && (await isExact(adapter, name)) ? storedOf(user) : undefined
    },
    async updateUser(id, changes) {
      const before = await adapter.getUser(id)
      if (!before) return undefined
      return Object.keys(changes).length === 0 ? storedOf(before) : update(adapter, before, changes)
    },
    async deleteUser(id) {
      needs(adapter, 'deleteUser')
      const isThere = async (): Promise<boolean> => Boolean(await adapter.getUser(id))
      await remove(() => adapter.deleteUser(id), isThere)
    },
    async linkAccount(userId, account) {
      const user = await adapter.getUser(userId)
      if (!user || (await isLinked(adapter, account))) return false
      const link = (): Promise<true> => linkTo(adapter, user, account)
      return (await unlessTaken(link, () => isLinked(adapter, account))) ?? false
    },
  }
}

async function insert(adapter: UsableAdapter, user: StoredUser): Promise<AuthjsUser | undefined> {
  const { email } = user
  const isTaken = async (): Promise<boolean> => isOwned(adapter, email)
  if (await isTaken()) return undefined
  const written = writtenOf(user) as AuthjsUser
  return unlessTaken(() => adapter.createUser(written), isTaken)
}

/** Gives a new user what belongs to it. Where that fails, there has been no such user. */
async function complete(
  adapter: UsableAdapter,
  user: AuthjsUser,
  account: Account | undefined,
  session: NewSession | undefined,
): Promise<StoredUser | undefined> {
  let isLinking = true
  try {
    if (account) await linkTo(adapter, user, account)
    isLinking = false
    if (session) await begin(adapter, user, session)
    return storedOf(user)
  } catch (error) {
    await tryTo(() => adapter.deleteUser?.(user.id))
    // Ours is gone by now: what is found is another's.
    if (account && isLinking && (await isLinked(adapter, account, user))) return undefined
    throw error
  }
}

async function update(
  adapter: UsableAdapter,
  before: AuthjsUser,
  changes: Partial<StoredUser>,
): Promise<StoredUser | undefined> {
  const isTaken = (): Promise<boolean> => isOwned(adapter, changes.email ?? null, before)
  if (await isTaken()) return undefined
  const written = { ...writtenOf(changes, before), id: before.id }
  const done = async (): Promise<StoredUser> =>
    storedOf({ ...before, ...written, ...(await adapter.updateUser(written)) })
  return unlessTaken(done, isTaken)
}

async function linkTo(adapter: UsableAdapter, user: AuthjsUser, account: Account): Promise<true> {
  await adapter.linkAccount({ ...account, userId: user.id })
  return true
}

/** Whether an address is somebody's, other than a given user's, in the eyes of the database. */
async function isOwned(
  adapter: UsableAdapter,
  email: string | null,
  except?: AuthjsUser,
): Promise<boolean> {
  const owner = email === null ? undefined : await adapter.getUserByEmail(email)
  return isAnother(owner, except)
}

/** Whether an account is somebody's, other than a given user's. */
async function isLinked(
  adapter: UsableAdapter,
  { provider, providerAccountId }: Account,
  except?: AuthjsUser,
): Promise<boolean> {
  const owner = await adapter.getUserByAccount({ provider, providerAccountId })
  return isAnother(owner, except)
}

function isAnother(user: AuthjsUser | null | undefined, than: AuthjsUser | undefined): boolean {
  return Boolean(user && (!than || idOf(user) !== idOf(than)))
}

function stored(user: AuthjsUser | null | undefined): StoredUser | undefined {
  return user ? storedOf(user) : undefined
}

/**
 * Whether two addresses are one. The collations of MySQL think so of á and a, and who has the mailbox
 * of one would sign in as the other. Letters of ASCII may differ in case: next-auth kept them as they
 * came.
 */
function isSame(one: string | null | undefined, other: string): boolean {
  return one !== null && one !== undefined && lowerCase(one) === lowerCase(other)
}

function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** The same of an account, where the adapter can say which one it has found. */
async function isExact(adapter: UsableAdapter, name: AccountName): Promise<boolean> {
  if (!adapter.getAccount) return true
  const found = await adapter.getAccount(name.providerAccountId, name.provider)
  return found?.providerAccountId === name.providerAccountId && found.provider === name.provider
}
