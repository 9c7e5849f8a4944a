import type { SignIn } from '../kernel/callbacks.ts'
import type { Resolving } from '../kernel/context.ts'
import type { JoinedUser, ResolvedUser, SignInStep } from '../kernel/resolved-user.ts'
import { AuthError, ConfigurationError } from '../lib/errors.ts'
import { isObject } from '../lib/members.ts'
import { provesUser } from '../lib/proves-user.ts'
import { limitNotLinked } from '../limits/apply-limit.ts'
import type { Provider } from '../ports/provider.ts'
import type { Account, AccountChanges, StoredUser, User } from '../ports/records.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { findJoined } from './join-user.ts'
import {
  canVerifyEmail,
  getMissing,
  hasLearned,
  isSameEmail,
  storeLearned,
} from './proven-email.ts'
import { endOthers } from './revoke-sessions.ts'
import { createUuid, isUserId, withId, withStoredUser } from './resolve-user.ts'
import { askUserId, findUser, isReachable } from './user-id.ts'

/**
 * Resolves the user of a sign-in in the storage. Nothing is stored.
 *
 * @throws AuthError `OAuthAccountNotLinked` if the email address belongs to another user, and nothing
 *   proves that it is the same person; `RateLimited` if it was refused too often for this reason
 */
export async function resolveStoredUser(
  resolving: Resolving,
  proven: SignIn,
): Promise<ResolvedUser> {
  const { ctx, storage, provider } = resolving
  const known =
    (await findByAccount(storage, provider, proven)) ?? (await findById(storage, provider, proven))
  if (known) return known
  const { email, emailVerified } = proven.user
  // To the owner of an email address, a refusal reveals nothing new.
  if (email === null || emailVerified) return resolveUnknown(resolving, proven)
  // Counted before the answer is known: otherwise the limit itself shows that there is an account.
  const refund = await limitNotLinked(ctx, proven.account)
  try {
    // Only a success takes it back: any other answer, such as `AccessDenied`, reveals that there is no such user.
    return { ...(await resolveUnknown(resolving, proven)), refund }
  } catch (thrown) {
    if (revealsNothing(thrown)) await refund()
    throw thrown
  }
}

/** Returns whether `userId` or the storage failed: the answer then reveals nothing about an email address. */
function revealsNothing(thrown: unknown): boolean {
  return thrown instanceof AuthError && ['Callback', 'Unavailable'].includes(thrown.code)
}

/** Resolves the user of an account that is not stored. */
async function resolveUnknown(resolving: Resolving, proven: SignIn): Promise<ResolvedUser> {
  const { ctx, storage, provider, isNew } = resolving
  if (provider.kind === 'factor' && !isNew) {
    throw new AuthError('SessionRequired', 'the user is deleted')
  }
  const { providers } = ctx.service
  const id = await askUserId(providers, provider, proven)
  const named = await findUser(storage, id)
  if (named && !(await isReachable(storage, providers, named))) {
    const known = await toKnownUser(storage, toLinkedUser(named, proven), named, proven.user)
    return { ...known, linksByEmail: null }
  }
  const signIn = withId(proven, id)
  const { email } = signIn.user
  const owner = named ?? (email === null ? undefined : await storage.getUserByEmail(email))
  // An id of the application's own names the user already.
  if (!owner) return resolveOwnerless(resolving, signIn, id !== undefined)
  const isMeant = id === undefined || owner.id === id
  if (isMeant && canLink(provider, signIn.user, owner)) {
    const linksByEmail = owner.email ?? ''
    return { ...toLinkedUser(owner, signIn), linksByEmail }
  }
  // The same user may have signed in meanwhile, in another tab.
  const concurrent = await findByAccount(storage, provider, signIn)
  if (concurrent) return concurrent
  const problem = named
    ? `providers.${provider.id}.userId returned the id of a user who has another way to sign in`
    : 'the email address belongs to another user'
  throw new AuthError('OAuthAccountNotLinked', problem)
}

/** Resolves the user of an email address that no other user has. */
async function resolveOwnerless(
  resolving: Resolving,
  signIn: SignIn,
  isNamed: boolean,
): Promise<ResolvedUser> {
  const { ctx, storage, provider } = resolving
  if (provider.createsUsers === false) return { kind: 'known', signIn, isUnstored: true }
  const joined = isNamed
    ? undefined
    : await findJoined(storage, ctx.service.joinsUnverified, provider, signIn)
  if (joined) return toJoinedUser(joined, signIn)
  return toNewUser(resolving, signIn, isUserId(provider) || isNamed)
}

/**
 * Persists user, account and session in one step.
 *
 * @returns The stored user; undefined, and nothing stored, if the resolution is out of date, as when
 *   the same user has signed in twice simultaneously
 *
 * @throws AuthError `OAuthCreateAccount` or `EmailCreateAccount` if the user cannot be stored
 */
export async function persistSignIn(
  { ctx, storage, provider }: Omit<Resolving, 'isNew'>,
  resolved: ResolvedUser,
  step: SignInStep,
): Promise<Pick<StoredUser, 'id'> | undefined> {
  const persist = (): ReturnType<typeof persistStep> =>
    persistStep(storage, provider, resolved, step)
  const isFirstFactor = step.enrolled !== undefined && resolved.kind !== 'new'
  if (!isFirstFactor && !resolved.joined) return persist()
  return endOthers(ctx, resolved.signIn.user.id, step.sessionId, persist)
}

async function persistStep(
  storage: GuardedStorage,
  provider: Provider,
  resolved: ResolvedUser,
  step: SignInStep,
): Promise<Pick<StoredUser, 'id'> | undefined> {
  const { record: session, toRows } = step
  const { user } = resolved.signIn
  if (resolved.isUnstored) return user
  if (resolved.kind === 'new') {
    const created = await createUser(storage, provider, resolved, step)
    return created ?? adoptUser(storage, provider, resolved, step)
  }
  if (!(await storeChanges(storage, resolved, step))) return undefined
  const isBegun = !session || (await storage.createSession(user.id, session, toRows?.('signIn')))
  return isBegun ? user : undefined
}

/** Stores what changes for a user who exists. Returns false if the resolution is out of date. */
async function storeChanges(
  storage: GuardedStorage,
  resolved: ResolvedUser,
  { record, toRows, enrolled, now }: SignInStep,
): Promise<boolean> {
  const { kind, joined, linksByEmail, signIn } = resolved
  const { account, user } = signIn
  if (joined) {
    const rows = toRows?.('updateUser')
    if (!(await storage.joinUser(user.id, user.email ?? '', joined.kept, rows))) return false
  }
  // Since they were compared, the email address may have changed, or another identity may have got the user.
  if (kind === 'linked') {
    const rows = toRows?.('linkAccount')
    if (!(await storage.linkAccount(user.id, toUsed(account, now), linksByEmail, rows)))
      return false
  }
  // A session that is stored says in its step that the account was used.
  if (kind === 'known') await updateAccount(storage, account, record ? undefined : now)
  if (hasLearned(resolved)) {
    const rows = toRows?.('updateUser')
    if (!(await storeLearned(storage, user, resolved, rows))) return false
  }
  return !enrolled || storage.createFactor(user.id, enrolled.factor, enrolled.rows)
}

/** Returns an account that is linked, and used to sign in, now. */
function toUsed(account: Account, now: number): Account {
  return { ...account, createdAt: now, lastUsedAt: now }
}

async function findByAccount(
  storage: GuardedStorage,
  provider: Provider,
  signIn: SignIn,
): Promise<ResolvedUser | undefined> {
  if (provider.kind === 'factor') return undefined
  const user = await storage.getUserByAccount(provider.id, signIn.account.providerAccountId)
  if (!user) return undefined
  const known = { kind: 'known', signIn: withStoredUser(user, signIn) } as const
  return toKnownUser(storage, known, user, signIn.user)
}

/** An account becomes another one of a user, whose name and image it may complete (I-39). */
function toLinkedUser(user: StoredUser, signIn: SignIn): ResolvedUser {
  const missing = getMissing(user, signIn.user)
  return { kind: 'linked', signIn: withStoredUser({ ...user, ...missing }, signIn), missing }
}

function toJoinedUser(joined: JoinedUser, signIn: SignIn): ResolvedUser {
  const user = { ...joined.user, emailVerified: true }
  return { ...toLinkedUser(user, signIn), linksByEmail: user.email ?? '', joined }
}

async function toKnownUser(
  storage: GuardedStorage,
  resolved: ResolvedUser,
  user: StoredUser,
  identity: User,
): Promise<ResolvedUser> {
  const verifiesEmail = await canVerifyEmail(storage, user, identity)
  const emailVerified = user.emailVerified || verifiesEmail
  const { signIn } = resolved
  return {
    ...resolved,
    signIn: { ...signIn, user: { ...signIn.user, emailVerified } },
    verifiesEmail,
  }
}

/** Finds the user whose id is the subject itself (I-43); their account need not be stored. */
async function findById(
  storage: GuardedStorage,
  provider: Provider,
  signIn: SignIn,
): Promise<ResolvedUser | undefined> {
  // An OAuth provider does not know the application's users: its subject may be another user's id.
  if (!provesUser(provider)) return undefined
  const user = await storage.getUser(signIn.user.id)
  // Some databases ignore case.
  if (user?.id !== signIn.user.id) return undefined
  return { kind: 'known', signIn: withStoredUser(user, signIn) }
}

/** Returns whether an identity belongs to the owner of its email address: both sides are proven. */
function canLink(provider: Provider, user: User, owner: StoredUser): boolean {
  return (
    provider.linkByVerifiedEmail === true &&
    user.emailVerified &&
    owner.emailVerified &&
    isSameEmail(owner.email, user.email)
  )
}

async function createUser(
  storage: GuardedStorage,
  provider: Provider,
  { signIn: { user, account }, fields, keepsId, newFactor }: ResolvedUser,
  { record: session, toRows, enrolled, now }: SignInStep,
): Promise<StoredUser | undefined> {
  const given = { ...toStoredUser(user), ...(isObject(fields) && fields) }
  const rows = toRows?.('createUser', 'linkAccount', 'signIn')
  const events = enrolled?.rows ? [...(rows ?? []), ...enrolled.rows] : rows
  const factors = [newFactor, enrolled?.factor].filter((factor) => factor !== undefined)
  const stored = provider.kind === 'factor' ? undefined : toUsed(account, now)
  const created = await storage
    .createUser(given, stored, session, events, ...factors)
    .catch((cause: unknown) => {
      throw toCreateUserError(provider, cause)
    })
  // Where the subject is the id, the account finds the user all the same.
  if (created && keepsId && !provesUser(provider) && created.id !== user.id) {
    throw await undoCreateUser(storage, provider, created)
  }
  return created
}

/**
 * Gives the account, or the factor, to the user whom `callbacks.signIn` has stored under the id that it received: the
 * callback is not called again (I-46.25).
 *
 * @returns undefined if there is no such user, or if it may be the user of another identity
 */
async function adoptUser(
  storage: GuardedStorage,
  provider: Provider,
  resolved: ResolvedUser,
  step: SignInStep,
): Promise<Pick<StoredUser, 'id'> | undefined> {
  const user = await findUser(storage, resolved.signIn.user.id)
  if (!user || !(await becomesTheirs(storage, provider, resolved, { user, step }))) return undefined
  return persistStep(storage, provider, { ...resolved, kind: 'known' }, step)
}

async function becomesTheirs(
  storage: GuardedStorage,
  provider: Provider,
  { signIn: { account }, newFactor, keepsId }: ResolvedUser,
  { user, step }: { readonly user: StoredUser; readonly step: SignInStep },
): Promise<boolean> {
  const rows = step.toRows?.('createUser', 'linkAccount')
  if (newFactor) return storage.createFactor(user.id, newFactor, rows)
  if (provesUser(provider)) return true
  // Only the callback knows an id that was made up here; another one may have been stored by another sign-in.
  const verifiedEmail = keepsId || !user.emailVerified ? null : user.email
  if (await storage.linkAccount(user.id, toUsed(account, step.now), verifiedEmail, rows))
    return true
  const owner = await storage.getUserByAccount(account.provider, account.providerAccountId)
  return owner?.id === user.id
}

/** A storage that refuses its own configuration says what to do. */
function toCreateUserError({ outOfBand }: Provider, cause: unknown): AuthError {
  const reason = cause instanceof AuthError ? cause.cause : undefined
  if (reason instanceof ConfigurationError) {
    return new AuthError('Configuration', reason.message, { cause: reason })
  }
  const code = outOfBand ? 'EmailCreateAccount' : 'OAuthCreateAccount'
  return new AuthError(code, 'the user could not be stored', { cause, status: 503 })
}

/** Deletes a user to whom the storage gave another id: the next sign-in would not find it. Returns the error. */
async function undoCreateUser(
  storage: GuardedStorage,
  { id }: Provider,
  created: StoredUser,
): Promise<AuthError> {
  const cause = await storage.deleteUser(created.id).catch((thrown: unknown) => thrown)
  const problem = `storage: gave a user of ${id} another id than the one to keep`
  const advice =
    'it must store the id that it is given; see @latchkey/storage-authjs, "Ids that stay"'
  return new AuthError('Configuration', `${problem}: ${advice}`, { cause })
}

/**
 * Stores the tokens of the latest sign-in, since previous tokens may no longer work.
 *
 * @param lastUsedAt When the account was used to sign in, in seconds since 1970. Default: it stays
 */
export async function updateAccount(
  { capabilities, updateAccount: update }: GuardedStorage,
  account: Account,
  lastUsedAt?: number,
): Promise<void> {
  const { provider, type: _, providerAccountId, createdAt: __, ...tokens } = account
  const isUsed = lastUsedAt !== undefined && capabilities.includes('accountTimes')
  const changes = { ...tokens, ...(isUsed && { lastUsedAt }) } satisfies AccountChanges
  if (Object.keys(changes).length === 0 || !capabilities.includes('accountUpdates')) return
  await update(provider, providerAccountId, changes)
}

/** Returns a sign-in with the id of a new user, and with the values that the application's own fields will have. */
function toNewUser({ ctx, storage }: Resolving, signIn: SignIn, keepsId: boolean): ResolvedUser {
  const { user, account } = signIn
  const { log, runtime } = ctx.service
  const { values: fields, refused = [] } = storage.fields?.fromProfile(user) ?? {}
  if (refused.length > 0) {
    const details = { error: 'Callback', provider: account.provider, fields: refused } as const
    log.warn('profile() returned user fields of the wrong type', details)
  }
  const created = {
    ...user,
    ...(isObject(fields) && fields),
    id: keepsId ? user.id : createUuid(runtime.random),
  }
  return { kind: 'new', signIn: { ...signIn, user: created }, fields, keepsId }
}

function toStoredUser({ id, name, email, emailVerified, image }: User): StoredUser {
  return { id, name, email, emailVerified, image }
}
