import { ConfigurationError } from '@latchkey/core'
import type { Account, NewFactor, NewSession, Storage, StoredUser } from '@latchkey/core'
import { includesType, toStored } from '@latchkey/core/unstable'
import { unlink } from './accounts.ts'
import type { Statements } from './accounts.ts'
import { checkMethods } from './adapter.ts'
import type { AccountKey, AuthjsUser, UsableAdapter } from './adapter.ts'
import { compensate, deleteIfExists, undefinedIfTaken } from './compensate.ts'
import { findFactor, toNewFactor } from './factors.ts'
import type { AuthjsFactors } from './factors.ts'
import { getUserId } from './mapping.ts'
import type { UserMapping } from './mapping.ts'
import { replaceSession } from './sessions.ts'

type UserMethods = Pick<
  Storage,
  | 'createUser'
  | 'getUser'
  | 'getUserByEmail'
  | 'getUserByAccount'
  | 'updateUser'
  | 'deleteUser'
  | 'linkAccount'
>

/** Creates the methods for users and their accounts. */
export function createUserMethods(
  adapter: UsableAdapter,
  users: UserMapping,
  statements: Statements,
): UserMethods {
  const { toStoredUser } = users
  const { factors } = statements
  return {
    async createUser(user, account, session, _events, ...added) {
      const parts = { account, session, added }
      const created = await createUser(adapter, factors, users.toNewUser(user), parts)
      return created && toStoredUser(created)
    },
    async getUser(id) {
      const user = await adapter.getUser(id)
      return user ? toStoredUser(user) : undefined
    },
    async getUserByEmail(email) {
      const user = await adapter.getUserByEmail(email)
      return user && isSameEmail(user.email, email) ? toStoredUser(user) : undefined
    },
    async getUserByAccount(provider, providerAccountId) {
      const key = { provider, providerAccountId }
      const user = await adapter.getUserByAccount(key)
      return user && (await isExactAccount(adapter, key)) ? toStoredUser(user) : undefined
    },
    async updateUser(id, changes) {
      const before = await adapter.getUser(id)
      if (!before) return undefined
      if (Object.keys(changes).length === 0) return toStoredUser(before)
      return changeUser(adapter, users, before, changes)
    },
    deleteUser: (id) => deleteUser(adapter, factors, id),
    linkAccount: (...args) => linkAccount(adapter, statements, ...args),
  }
}

async function deleteUser(
  adapter: UsableAdapter,
  factors: AuthjsFactors | undefined,
  id: string,
): Promise<void> {
  checkMethods(adapter, 'deleteUser')
  const exists = async (): Promise<boolean> => Boolean(await adapter.getUser(id))
  await deleteIfExists(() => adapter.deleteUser(id), exists)
  await factors?.deleteAll(id)
}

async function linkAccount(
  adapter: UsableAdapter,
  statements: Statements,
  ...[userId, account, verifiedEmail, , backups]: Parameters<Storage['linkAccount']>
): Promise<boolean> {
  const user = await adapter.getUser(userId)
  if (!user || (await isLinked(adapter, account))) return false
  if (typeof verifiedEmail === 'string' && !hasVerified(user, verifiedEmail)) return false
  if (verifiedEmail === null && user.emailVerified) return false
  const link = (): Promise<boolean> =>
    verifiedEmail === null
      ? linkOnlyAccount(adapter, statements, { user, account, backups })
      : linkToUser(adapter, user, account)
  return (await undefinedIfTaken(link, () => isLinked(adapter, account))) ?? false
}

/** What is stored with a new user. */
interface NewUserParts {
  readonly account: Account | undefined
  readonly session: NewSession | undefined
  /** The factors. */
  readonly added: readonly NewFactor[]
}

async function createUser(
  adapter: UsableAdapter,
  factors: AuthjsFactors | undefined,
  user: AuthjsUser,
  parts: NewUserParts,
): Promise<AuthjsUser | undefined> {
  const { account, added } = parts
  if (account && (await isLinked(adapter, account))) return undefined
  for (const factor of added) {
    if (factors && (await findFactor(factors, factor))) return undefined
  }
  const created = await insertUser(adapter, user)
  if (created && account?.type === 'credentials') await checkKeptId(adapter, user, created)
  if (created && added.length > 0)
    await checkKeptId(adapter, user, created, 'a user with a factor another id than the given one')
  const isComplete = created && (await completeUser(adapter, factors, created, parts))
  return isComplete ? created : undefined
}

/**
 * Refuses an adapter that makes its own ids for a user whose id is the application's: what the application
 * keeps under that id would be lost. The user is deleted again.
 *
 * @param found What the adapter gave, for the message. Default: the user of credentials another id
 * @throws ConfigurationError `storage`
 */
async function checkKeptId(
  adapter: UsableAdapter,
  given: AuthjsUser,
  created: AuthjsUser,
  found = 'the user of credentials another id than the one from authorize',
): Promise<void> {
  if (getUserId(created) === getUserId(given)) return
  await compensate(() => adapter.deleteUser?.(created.id))
  const problem = `the adapter gave ${found}`
  const advice =
    'let its createUser() store the id (README of @latchkey/storage-authjs, "Ids that stay"), return the id of an existing row, or set createsUsers: false'
  throw new ConfigurationError('storage', `${problem}: ${advice}`)
}

async function insertUser(
  adapter: UsableAdapter,
  user: AuthjsUser,
): Promise<AuthjsUser | undefined> {
  const isTaken = (): Promise<boolean> => isEmailTaken(adapter, user.email ?? null)
  if (await isTaken()) return undefined
  return undefinedIfTaken(() => adapter.createUser(user), isTaken)
}

/**
 * Adds the account, the factors and the session of a new user. If that fails, it deletes the user again.
 *
 * @returns False if the account or a factor belongs to another user
 */
async function completeUser(
  adapter: UsableAdapter,
  factors: AuthjsFactors | undefined,
  user: AuthjsUser,
  { account, session, added }: NewUserParts,
): Promise<boolean> {
  let isLinking = true
  const undo = async (): Promise<void> => {
    await compensate(() => adapter.deleteUser?.(user.id))
    await compensate(() => factors?.deleteAll(getUserId(user)))
  }
  try {
    if (account) await linkToUser(adapter, user, account)
    isLinking = false
    for (const factor of added) {
      if (await factors?.create(toNewFactor(getUserId(user), factor))) continue
      await undo()
      return false
    }
    if (session) await replaceSession(adapter, user, session)
    return true
  } catch (error) {
    await undo()
    // The new user is deleted: an account that is found belongs to another user.
    if (account && isLinking && (await isLinked(adapter, account, user))) return false
    throw error
  }
}

async function changeUser(
  adapter: UsableAdapter,
  { toChanges, toStoredUser }: UserMapping,
  before: AuthjsUser,
  changes: Partial<StoredUser>,
): Promise<StoredUser | undefined> {
  const isTaken = (): Promise<boolean> => isEmailTaken(adapter, changes.email ?? null, before)
  if (await isTaken()) return undefined
  const reset = changes.email === undefined ? {} : { emailVerified: false }
  const values = { ...toChanges({ ...reset, ...changes }, before), id: before.id }
  if (Object.keys(values).length === 1) return toStoredUser(before)
  const update = async (): Promise<StoredUser> => {
    // TypeORM's adapter returns null for the fields that do not change, in the object that it is given.
    await adapter.updateUser({ ...values })
    return toStoredUser((await adapter.getUser(getUserId(before))) ?? { ...before, ...values })
  }
  return undefinedIfTaken(update, isTaken)
}

async function linkToUser(
  adapter: UsableAdapter,
  user: AuthjsUser,
  account: Account,
): Promise<true> {
  // The tables of Auth.js have no columns of the times.
  const { createdAt: _, lastUsedAt: __, ...columns } = account
  await adapter.linkAccount({ ...columns, userId: user.id })
  return true
}

/** An account that becomes the only way to sign in. */
interface OnlyAccount {
  readonly user: AuthjsUser
  readonly account: Account
  /** Types of factors that do not count. Default: only the default ways count */
  readonly backups: readonly string[] | undefined
}

/**
 * Links the only account of a user without a factor to sign in with. Of several that are linked at the same time one stays, because `unlink`
 * keeps the last: until then, the user can be found by each of them.
 */
async function linkOnlyAccount(
  adapter: UsableAdapter,
  { accounts, factors }: Statements,
  { user, account, backups }: OnlyAccount,
): Promise<boolean> {
  const id = getUserId(user)
  const { provider, providerAccountId } = account
  if (!accounts) return false
  const hasAccounts = async (count: number): Promise<boolean> =>
    (await accounts.list(id)).length === count
  const listTypes = (): Promise<readonly string[]> => listCounted(factors, id, backups)
  if (!(await hasAccounts(0)) || (await listTypes()).length > 0) return false
  await linkToUser(adapter, user, account)
  const types = await listTypes()
  if ((await hasAccounts(1)) && types.length === 0) return true
  return !(await unlink({ accounts, factors }, id, { provider, providerAccountId }, types))
}

/** Returns the types of a user's factors that count if the user must have no way to sign in. */
async function listCounted(
  factors: AuthjsFactors | undefined,
  userId: string,
  backups: readonly string[] | undefined,
): Promise<readonly string[]> {
  const counted = toStored(backups)
  const types = ((await factors?.list(userId)) ?? []).map(({ type }) => type)
  return types.filter((type) => includesType(counted, type))
}

function hasVerified({ email, emailVerified }: AuthjsUser, expected: string): boolean {
  return Boolean(emailVerified) && email === expected
}

/** Whether the database finds the email address at a user other than `except`. */
async function isEmailTaken(
  adapter: UsableAdapter,
  email: string | null,
  except?: AuthjsUser,
): Promise<boolean> {
  const owner = email === null ? undefined : await adapter.getUserByEmail(email)
  return isOtherUser(owner, except)
}

/** Whether the account is linked to a user other than `except`. */
async function isLinked(
  adapter: UsableAdapter,
  { provider, providerAccountId }: Account,
  except?: AuthjsUser,
): Promise<boolean> {
  const owner = await adapter.getUserByAccount({ provider, providerAccountId })
  return isOtherUser(owner, except)
}

function isOtherUser(user: AuthjsUser | null | undefined, except: AuthjsUser | undefined): boolean {
  return Boolean(user && (!except || getUserId(user) !== getUserId(except)))
}

/**
 * Whether two email addresses are equal, apart from the case of ASCII letters, which next-auth kept.
 * Collations of MySQL ignore accents too: the owner of one mailbox could sign in as the other.
 */
function isSameEmail(one: string | null | undefined, other: string): boolean {
  return one !== null && one !== undefined && toAsciiLowerCase(one) === toAsciiLowerCase(other)
}

function toAsciiLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Whether the adapter found exactly this account; true if that is unknown. */
async function isExactAccount(adapter: UsableAdapter, key: AccountKey): Promise<boolean> {
  if (!adapter.getAccount) return true
  const found = await adapter.getAccount(key.providerAccountId, key.provider)
  return found?.providerAccountId === key.providerAccountId && found.provider === key.provider
}
