import type { Context, Service } from '../kernel/context.ts'
import { callListener } from '../kernel/emit.ts'
import { isStorableId } from '../lib/storable-text.ts'
import type { Provider } from '../ports/provider.ts'
import type { AccountInfo, StoredUser } from '../ports/records.ts'
import type { StorageGroup } from '../ports/storage.ts'
import { isSameEmail } from '../sign-in/proven-email.ts'
import { findUser } from '../sign-in/user-id.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { changed, listDeletionEvents } from '../kernel/points.ts'
import { createAuthAccounts, unlinkAccount } from './accounts.ts'
import { checkChanges } from './user-changes.ts'
import type { UserChanges } from './user-changes.ts'

/**
 * The outcome of {@link AuthUsers.update}: the changed user, or why nothing was changed. `unknown`: there is no
 * such user · `taken`: another user has verified the email address, or signs in by it · `last`: the user signs
 * in only by emails to the previous email address, and the new one is not verified, or no email is sent to it.
 */
export type UpdateUserResult<Fields = unknown> =
  | { readonly user: StoredUser & Fields; readonly refused?: undefined }
  | { readonly user?: undefined; readonly refused: 'unknown' | 'taken' | 'last' }

/** The options of {@link AuthUsers.list}. */
export interface ListUsersOptions {
  /** The `cursor` of the previous page. Default: the first page */
  readonly cursor?: string | undefined
  /** The maximum number of users, from 1 to 500. Default: 50 */
  readonly limit?: number
}

/** A page of users. */
export interface UserPage<Fields = unknown> {
  readonly users: readonly (StoredUser & Fields)[]
  /** The cursor of the next page; undefined on the last page. It is not a secret. */
  readonly cursor: string | undefined
}

/**
 * The stored users. Nothing checks who calls these methods: the application decides who may.
 *
 * @typeParam Fields The application's own fields of a user
 */
export interface AuthUsers<Fields = unknown> {
  /**
   * Returns a user; undefined if there is none with this id.
   *
   * @throws ConfigurationError without a storage
   * @throws AuthError `Unavailable` if the storage fails
   */
  get(id: string): Promise<(StoredUser & Fields) | undefined>
  /**
   * Changes members of a user. A new email address is not verified, unless `emailVerified: true` says so too, and
   * links in emails to the previous one no longer sign this user in. Sessions continue. The event `updateUser`
   * is emitted, and its listener is waited for.
   *
   * @example
   *   import { createAuth } from '@latchkey/core'
   *   import { memoryStorage } from '@latchkey/core/memory'
   *   import { userFields } from '@latchkey/core/user-fields'
   *
   *   const fields = userFields({ role: { type: 'text', default: 'member' } })
   *   const auth = createAuth({
   *     secret: 'at least thirty-two random bytes, kept secret',
   *     providers: [],
   *     storage: memoryStorage({ fields }),
   *   })
   *   async function promote(id: string): Promise<boolean> {
   *     const { refused } = await auth.users.update(id, { role: 'admin' })
   *     return refused === undefined
   *   }
   *
   * @throws TypeError naming the member that users do not have, or whose value is invalid
   * @throws ConfigurationError without a storage; for a new email address beside a provider of the type `email`
   *   also if the storage cannot list accounts
   * @throws AuthError `Unavailable` if the storage fails: the same call completes the change
   */
  update(id: string, changes: UserChanges<Fields>): Promise<UpdateUserResult<Fields>>
  /**
   * Deletes a user with all accounts and sessions. The event `deleteUser` is emitted, and its listener is
   * waited for.
   *
   * @returns False if there is no such user
   *
   * @throws ConfigurationError without a storage
   * @throws AuthError `Unavailable` if the storage fails
   */
  delete(id: string): Promise<boolean>
  /**
   * Returns a page of users, in the order of their ids.
   *
   * @example
   *   import type { Auth } from '@latchkey/core'
   *
   *   declare const auth: Auth
   *   let cursor: string | undefined
   *   do {
   *     const page = await auth.users.list({ cursor, limit: 100 })
   *     for (const { email } of page.users) console.log(email)
   *     cursor = page.cursor
   *   } while (cursor !== undefined)
   *
   * @throws TypeError if `cursor` or `limit` is invalid
   * @throws ConfigurationError if the storage lacks the capability `userLists`
   * @throws AuthError `Unavailable` if the storage fails
   */
  list(options?: ListUsersOptions): Promise<UserPage<Fields>>
}

/**
 * Creates `auth.users`.
 *
 * @param ctx The request that changes users. Default: a call of the server
 */
export function createAuthUsers(service: Service, ctx?: Context): AuthUsers {
  const { imports, runtime, outbox } = service
  const getStorage = (...needs: readonly StorageGroup[]): GuardedStorage =>
    requireStorage(service.storage, 'auth.users', needs)
  const get: AuthUsers['get'] = async (id) =>
    isStorableId(id) ? findUser(getStorage(), id) : undefined
  return {
    get,
    async update(id, given) {
      const changes = checkChanges(getStorage().fields, given)
      const user = await get(id)
      return user ? tellUpdate({ service, user, ctx }, changes) : { refused: 'unknown' }
    },
    async delete(id) {
      if (!(await get(id))) return false
      const others = await listDeletionEvents(service, id, ctx)
      await imports.revokeUser(id, Math.floor(runtime.now() / 1000))
      const rows = [...(outbox?.toRows('deleteUser', { userId: id }, ctx) ?? []), ...others]
      await getStorage().deleteUser(id, rows)
      outbox?.deliverSoon(ctx)
      await callListener(service, 'deleteUser', { userId: id })
      return true
    },
    async list({ cursor, limit = 50 } = {}) {
      const storage = getStorage('userLists')
      if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
        throw new TypeError('limit must be a whole number from 1 to 500')
      }
      if (cursor !== undefined && !isStorableId(cursor)) {
        throw new TypeError('cursor must be the cursor of a page')
      }
      const found = await storage.listUsers(limit + 1, cursor)
      const users = found.slice(0, limit)
      return { users, cursor: found.length > limit ? users.at(-1)?.id : undefined }
    },
  }
}

/** A user to change. */
interface UserChange {
  readonly service: Service
  readonly user: StoredUser
  readonly ctx: Context | undefined
}

/** Updates a user, and tells of another email address, also if the call fails after it has changed. */
async function tellUpdate(
  change: UserChange,
  given: Partial<StoredUser>,
): Promise<UpdateUserResult> {
  if (given.email === undefined) return updateUser(change, given)
  const { service, user: previous, ctx } = change
  const tell = async (current: StoredUser | undefined): Promise<void> => {
    if (!current || current.email === previous.email) return
    await changed({ service, ctx, kind: 'emailChanged', userId: previous.id, previous })
  }
  try {
    const updated = await updateUser(change, given)
    await tell(updated.user)
    return updated
  } catch (thrown) {
    const storage = requireStorage(service.storage, 'auth.users', [])
    await tell(await storage.getUser(previous.id).catch(() => undefined))
    throw thrown
  }
}

async function updateUser(
  change: UserChange,
  given: Partial<StoredUser>,
): Promise<UpdateUserResult> {
  const { service, user, ctx } = change
  const { outbox } = service
  const storage = requireStorage(service.storage, 'auth.users', [])
  const { changes, hasNewEmail } = compare(change, given)
  if (Object.keys(changes).length === 0) return { user }
  const { previous, isAll } = hasNewEmail ? await listEmailAccounts(change) : none
  if (await isTaken(change, changes)) return { refused: 'taken' }
  const next = changes.emailVerified ? toAccountId(service, changes.email) : undefined
  if (isAll && next === undefined) return { refused: 'last' }
  const linked = next === undefined ? [] : await linkEmail(change, previous, next)
  if (!linked) return { refused: 'taken' }
  if (!(await unlinkAll(change, previous))) return { refused: 'last' }
  const rows = outbox?.toRows('updateUser', { user: { ...user, ...changes } }, ctx)
  const updated = await storage.updateUser(user.id, changes, rows)
  if (!updated) {
    // Another user has verified the email address meanwhile.
    for (const account of previous) await storage.linkAccount(user.id, account)
    await unlinkAll(change, linked)
    return { refused: 'email' in changes ? 'taken' : 'unknown' }
  }
  // A link that was opened meanwhile has linked the account again, by the email address.
  await unlinkAll(change, previous)
  outbox?.deliverSoon(ctx)
  await callListener(service, 'updateUser', { user: { ...updated } })
  return { user: updated }
}

/** Returns what changes, and whether the email address is another one. */
function compare(
  { service, user }: UserChange,
  { email, emailVerified, ...others }: Partial<StoredUser>,
): { readonly changes: Partial<StoredUser>; readonly hasNewEmail: boolean } {
  if (email === undefined) return { changes: others, hasNewEmail: false }
  const address = toAccountId(service, email) ?? email
  const isSame = [email, address].some((one) => one === user.email || isSameEmail(one, user.email))
  // A form that posts the email address unchanged says nothing about it.
  if (isSame && emailVerified === undefined) return { changes: others, hasNewEmail: false }
  const changes = { ...others, email: address, emailVerified: emailVerified ?? false }
  return { changes, hasNewEmail: !isSame }
}

function listEmailProviders({ providers }: Service): readonly Provider[] {
  return [...providers.values()].filter(({ type }) => type === 'email')
}

/** Returns an email address as the accounts of email providers have it; undefined if no email is sent to it. */
function toAccountId(service: Service, email: string | null | undefined): string | undefined {
  const [provider] = listEmailProviders(service)
  const parse = provider?.outOfBand?.parseAddress
  return email && parse ? parse(email) : (email ?? undefined)
}

/** The accounts by which links in emails to the user's email address sign in, and whether there is no other. */
interface EmailAccounts {
  readonly previous: readonly AccountInfo[]
  readonly isAll: boolean
}

const none: EmailAccounts = { previous: [], isAll: false }

async function listEmailAccounts({ service, user }: UserChange): Promise<EmailAccounts> {
  if (listEmailProviders(service).length === 0) return none
  const all = await createAuthAccounts(service).list(user.id)
  const id = toAccountId(service, user.email) ?? user.email
  const previous = all.filter((account) => {
    return account.type === 'email' && isSameEmail(account.providerAccountId, id)
  })
  return { previous, isAll: previous.length > 0 && previous.length === all.length }
}

/** Returns whether a new email address is another user's, before anything is changed. */
async function isTaken(
  { service, user }: UserChange,
  { email, emailVerified }: Partial<StoredUser>,
): Promise<boolean> {
  const storage = requireStorage(service.storage, 'auth.users', [])
  const isUnique = emailVerified || !storage.capabilities.includes('unverifiedEmails')
  if (!email || !isUnique) return false
  const owners = [await storage.getUserByEmail(email)]
  for (const { id } of emailVerified ? listEmailProviders(service) : []) {
    owners.push(await storage.getUserByAccount(id, email))
  }
  return owners.some((owner) => owner && owner.id !== user.id)
}

/** Links the accounts of a verified email address, and returns those; undefined if one is another user's by now. */
async function linkEmail(
  change: UserChange,
  previous: readonly AccountInfo[],
  email: string,
): Promise<readonly AccountInfo[] | undefined> {
  const { service, user } = change
  const storage = requireStorage(service.storage, 'auth.users', [])
  const linked: AccountInfo[] = []
  for (const account of previous) {
    const { provider, type } = account
    const createdAt = Math.floor(service.runtime.now() / 1000)
    const next = { provider, type, providerAccountId: email, createdAt }
    if (await storage.linkAccount(user.id, next)) {
      linked.push(next)
      continue
    }
    const owner = await storage.getUserByAccount(next.provider, email)
    if (owner?.id === user.id) continue
    await unlinkAll(change, linked)
    return undefined
  }
  return linked
}

/** Returns false, and has unlinked nothing, if the user has no other account. */
async function unlinkAll(
  { service, user, ctx }: UserChange,
  previous: readonly AccountInfo[],
): Promise<boolean> {
  for (const account of previous) {
    if ((await unlinkAccount(service, user.id, account, ctx)) === 'last') return false
  }
  return true
}

export type { UserChanges } from './user-changes.ts'
