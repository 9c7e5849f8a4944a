import type { JoinsUnverified, SignIn } from '../kernel/callbacks.ts'
import { AuthError, ConfigurationError } from '../lib/errors.ts'
import type { ToRows } from './emit-changes.ts'
import type { Log } from '../lib/log.ts'
import { isStorableText } from '../lib/storable-text.ts'
import type { Provider } from '../ports/provider.ts'
import type {
  Account,
  AccountChanges,
  Identity,
  NewFactor,
  NewSession,
  StoredUser,
  User,
} from '../ports/records.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import type { EnrolledFactor } from '../kernel/flow.ts'
import { findJoined } from './join-user.ts'
import type { JoinedUser } from './join-user.ts'
import { copyProfile } from './profile.ts'
import {
  canVerifyEmail,
  getMissing,
  hasLearned,
  isSameEmail,
  storeLearned,
} from './proven-email.ts'
import type { Learned } from './proven-email.ts'
import { askUserId, findUser, isReachable } from './user-id.ts'
import type { Providers } from './user-id.ts'
import { isObject } from '../lib/members.ts'
import { provesUser } from '../lib/proves-user.ts'

/** A sign-in whose user has been found or made up, but not stored (I-38). */
export interface ResolvedUser extends Learned {
  /**
   * `known`: the account belongs to the user · `linked`: it will, by a verified email address ·
   * `new`: neither user nor account exist.
   */
  readonly kind: 'known' | 'linked' | 'new'
  readonly signIn: SignIn
  /** The email address that links the account, which the user must still have verified; null if `userId` does. */
  readonly linksByEmail?: string | null
  /** What ends with the step that verifies the email address of the user (I-38.13). */
  readonly joined?: JoinedUser
  /** Whether the user has no row and gets none (I-43). */
  readonly isUnstored?: boolean
  /** The factor by which a new user signs in. */
  readonly newFactor?: NewFactor | undefined
  /** Whether the storage must keep the id of the new user. */
  readonly keepsId?: boolean
  /** The values of the application's own fields, for a new user. */
  readonly fields?: unknown
  /** Takes back what the sign-in has counted, once it has succeeded (I-38). */
  readonly refund?: () => Promise<void>
}

/**
 * Returns the user and the account of a proven identity. Without a storage the user is the identity;
 * its id names the provider too, because subjects of two providers may be equal, unless the provider
 * has `subjectAsUserId`, or proves who the user is.
 *
 * @param providers The providers of the service, by id
 * @throws AuthError `OAuthCallback` if the subject is not 1 to 255 characters, or has control characters
 *   or lone surrogates; or if it could be the id of another provider's user, for credentials then
 *   `CredentialsSignin`
 */
export function toSignIn(providers: Providers, provider: Provider, identity: Identity): SignIn {
  const { subject, tokens, claims, authentication = { methods: [] } } = identity
  if (typeof subject !== 'string' || subject.length < 1 || subject.length > 255) {
    throw new AuthError('OAuthCallback', 'the subject must have 1 to 255 characters')
  }
  if (!isStorableText(subject)) {
    const problem = 'must not contain control characters or lone surrogates'
    throw new AuthError('OAuthCallback', `the subject ${problem}`)
  }
  // The id of another provider's user is the provider's own, a colon, and the subject.
  const [prefix = '', ...rest] = subject.split(':')
  if (
    rest.length > 0 &&
    provider.kind !== 'factor' &&
    (provider.subjectAsUserId || (provesUser(provider) && providers.has(prefix)))
  ) {
    const code = provesUser(provider) ? 'CredentialsSignin' : 'OAuthCallback'
    throw new AuthError(code, 'the subject must not contain a colon, as ids of other providers do')
  }
  const id = isUserId(provider) ? subject : `${provider.id}:${subject}`
  return {
    user: { ...copyProfile(identity), id },
    account: { ...tokens, provider: provider.id, type: provider.type, providerAccountId: subject },
    profile: claims,
    authentication,
  }
}

/**
 * Resolves the user of a sign-in. Nothing is stored.
 *
 * @throws AuthError `OAuthAccountNotLinked` if the email address belongs to another user, and nothing
 *   proves that it is the same person; `RateLimited` if it was refused too often for this reason
 */
export async function resolveUser(
  storage: GuardedStorage | undefined,
  provider: Provider,
  proven: SignIn,
  parts: ResolveParts,
): Promise<ResolvedUser> {
  if (!storage) {
    const id = await askUserId(parts.providers, provider, proven)
    return { kind: 'known', signIn: withId(proven, id) }
  }
  const known =
    (await findByAccount(storage, provider, proven)) ?? (await findById(storage, provider, proven))
  if (known) return known
  const { email, emailVerified } = proven.user
  // To the owner of an email address, a refusal reveals nothing new.
  if (email === null || emailVerified) return resolveUnknown(storage, provider, proven, parts)
  // Counted before the answer is known: otherwise the limit itself shows that there is an account.
  const refund = await parts.limit(proven.account)
  try {
    // Only a success takes it back: any other answer, such as `AccessDenied`, reveals that there is no such user.
    return { ...(await resolveUnknown(storage, provider, proven, parts)), refund }
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
async function resolveUnknown(
  storage: GuardedStorage,
  provider: Provider,
  proven: SignIn,
  parts: ResolveParts,
): Promise<ResolvedUser> {
  if (provider.kind === 'factor' && !parts.isNew) {
    throw new AuthError('SessionRequired', 'the user is deleted')
  }
  const { providers } = parts
  const id = await askUserId(providers, provider, proven)
  const named = await findUser(storage, id)
  if (named && !(await isReachable(storage, providers, named))) {
    const known = await toKnownUser(storage, toLinkedUser(named, proven), named, proven.user)
    return { ...known, linksByEmail: null }
  }
  const signIn = withId(proven, id)
  const { email } = signIn.user
  const owner = named ?? (email === null ? undefined : await storage.getUserByEmail(email))
  if (!owner) return resolveOwnerless(storage, provider, signIn, { ...parts, id })
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
  storage: GuardedStorage,
  provider: Provider,
  signIn: SignIn,
  parts: ResolveParts & { readonly id: string | undefined },
): Promise<ResolvedUser> {
  if (provider.createsUsers === false) return { kind: 'known', signIn, isUnstored: true }
  // An id of the application's own names the user already.
  const isNamed = parts.id !== undefined
  const joined = isNamed
    ? undefined
    : await findJoined(storage, parts.joinsUnverified, provider, signIn)
  if (joined) return toJoinedUser(joined, signIn)
  return toNewUser(storage, signIn, isUserId(provider) || isNamed, parts)
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
  storage: GuardedStorage | undefined,
  provider: Provider,
  resolved: ResolvedUser,
  step: SignInStep,
): Promise<Pick<StoredUser, 'id'> | undefined> {
  const { record: session, toRows } = step
  const { user } = resolved.signIn
  if (!storage || resolved.isUnstored) return user
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

/** What a sign-in stores with its user and account. */
interface SignInStep {
  /** The session, if sessions are stored. */
  readonly record: NewSession | undefined
  /** Returns the events to store in each step. */
  readonly toRows: ToRows | undefined
  /** A second factor that the sign-in enrols (I-52.10). */
  readonly enrolled: EnrolledFactor | undefined
  /** Seconds since 1970. */
  readonly now: number
}

/** Returns an account that is linked, and used to sign in, now. */
function toUsed(account: Account, now: number): Account {
  return { ...account, createdAt: now, lastUsedAt: now }
}

/** Returns a sign-in with the stored user's fields; what `profile()` added stays. */
export function withStoredUser(user: StoredUser, signIn: SignIn): SignIn {
  return { ...signIn, user: { ...signIn.user, ...user } }
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

/** Returns whether the subject of an identity is the user's id: any other id names the provider. */
function isUserId(provider: Provider): boolean {
  return provider.subjectAsUserId === true || provesUser(provider)
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
  return persistSignIn(storage, provider, { ...resolved, kind: 'known' }, step)
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

/** What else {@link resolveUser} needs. */
interface ResolveParts {
  readonly random: Runtime['random']
  readonly log: Log
  readonly providers: Providers
  /** Whether the identity is of a user who is created with the factor by which the user signs in. */
  readonly isNew: boolean
  readonly joinsUnverified: JoinsUnverified | undefined
  /** Counts a sign-in that may be refused, and returns what takes it back. */
  readonly limit: (account: Account) => Promise<() => Promise<void>>
}

/** Returns a sign-in with the id of a new user, and with the values that the application's own fields will have. */
function toNewUser(
  storage: GuardedStorage,
  signIn: SignIn,
  keepsId: boolean,
  { random, log }: ResolveParts,
): ResolvedUser {
  const { user, account } = signIn
  const { values: fields, refused = [] } = storage.fields?.fromProfile(user) ?? {}
  if (refused.length > 0) {
    const details = { error: 'Callback', provider: account.provider, fields: refused } as const
    log.warn('profile() returned user fields of the wrong type', details)
  }
  const created = {
    ...user,
    ...(isObject(fields) && fields),
    id: keepsId ? user.id : createUuid(random),
  }
  return { kind: 'new', signIn: { ...signIn, user: created }, fields, keepsId }
}

/** Returns a sign-in whose user has another id; unchanged without one. */
function withId(signIn: SignIn, id: string | undefined): SignIn {
  return id === undefined ? signIn : { ...signIn, user: { ...signIn.user, id } }
}

function toStoredUser({ id, name, email, emailVerified, image }: User): StoredUser {
  return { id, name, email, emailVerified, image }
}

/** A random UUID (RFC 9562 §5.4): existing databases may accept nothing else as an id. */
export function createUuid(random: Runtime['random']): string {
  const bytes = random(16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
