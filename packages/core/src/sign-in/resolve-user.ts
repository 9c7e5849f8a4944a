import { AuthError } from '../errors.ts'
import type { SessionToken, SignIn } from '../config.ts'
import type { Provider } from '../ports/provider.ts'
import type { Account, Identity, NewSession, StoredUser, Tokens, User } from '../ports/records.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { Storage } from '../ports/storage.ts'
import { copyProfile } from './profile.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/**
 * From a proven identity to the user and the account. Where nothing is stored the user is the
 * identity, and its id names the provider too, because subjects of two providers may be equal (I-38).
 *
 * @throws AuthError `OAuthCallback` where the subject is none
 */
export function userOf(provider: Provider, identity: Identity): SignIn {
  const { subject, tokens, claims } = identity
  if (typeof subject !== 'string' || subject.length < 1 || subject.length > 255) {
    throw new AuthError('OAuthCallback', 'the subject must have 1 to 255 characters')
  }
  return {
    user: { ...copyProfile(identity.profile), id: `${provider.id}:${subject}` },
    account: { ...tokens, provider: provider.id, type: provider.type, providerAccountId: subject },
    profile: claims,
  }
}

/** What a session carries unless `callbacks.jwt` says otherwise. */
export function tokenOf({
  id,
  name,
  email,
  image,
}: Omit<StoredUser, 'emailVerified'>): SessionToken {
  return { sub: id, name, email, picture: image }
}

/** A person who has proven who they are, and how they come to their user (I-38). */
export interface Arrival {
  /** `known`: the account is theirs already · `linked`: it will be, by a verified address · `new`: neither user nor account is there yet. */
  readonly how: 'known' | 'linked' | 'new'
  readonly person: SignIn
}

/**
 * Finds the user of an identity. Nothing is changed.
 *
 * @throws AuthError `OAuthAccountNotLinked` where the address is somebody's, and nothing proves that
 *   it is the same person
 */
export async function recognise(
  storage: Storage,
  provider: Provider,
  person: SignIn,
  random: Runtime['random'],
): Promise<Arrival> {
  const find = async (): Promise<Arrival | undefined> => {
    const user = await storage.getUserByAccount(provider.id, person.account.providerAccountId)
    return user && { how: 'known', person: as(user, person) }
  }
  const known = await find()
  if (known) return known
  const { email } = person.user
  const owner = email === null ? undefined : await storage.getUserByEmail(email)
  if (!owner) return { how: 'new', person: asNew(provider, person, random) }
  // Some databases find what only looks alike.
  const isTheirs = owner.email?.toLowerCase() === email?.toLowerCase()
  if (isTheirs && isTrusted(provider, person.user) && owner.emailVerified) {
    return { how: 'linked', person: as(owner, person) }
  }
  // Between the two questions the same person may have arrived in another tab.
  const arrived = await find()
  if (arrived) return arrived
  throw new AuthError('OAuthAccountNotLinked', 'the address belongs to another account')
}

/**
 * Lets a person in: what has to be stored of them and of their session comes to be.
 *
 * @param session What the storage has to keep of the session, where it keeps sessions
 * @returns The user as stored; undefined, and nothing changed, where the arrival is no longer true,
 *   as when the same person has arrived twice at once
 *
 * @throws AuthError `OAuthCreateAccount` or `EmailCreateAccount` where a user cannot be stored
 */
export async function admit(
  storage: GuardedStorage,
  { how, person }: Arrival,
  session: NewSession | undefined,
): Promise<StoredUser | undefined> {
  const user = storedOf(person.user)
  const { account } = person
  if (how === 'new') return create(storage, user, account, session)
  if (how === 'linked' && !(await storage.linkAccount(user.id, account))) return undefined
  if (how === 'known') await keepTokens(storage, account)
  if (session && !(await storage.createSession(user.id, session))) return undefined
  return user
}

/**
 * Links a further account to a user (I-39). One that is theirs already only gets its new tokens.
 *
 * @throws AuthError `OAuthAccountNotLinked` where it is somebody else's
 */
export async function link(
  storage: GuardedStorage,
  userId: string,
  account: Account,
): Promise<void> {
  if (await storage.linkAccount(userId, account)) return
  const owner = await storage.getUserByAccount(account.provider, account.providerAccountId)
  if (owner?.id !== userId) {
    throw new AuthError('OAuthAccountNotLinked', 'the account is linked to another user')
  }
  await keepTokens(storage, account)
}

async function create(
  storage: Storage,
  user: StoredUser,
  account: Account,
  session: NewSession | undefined,
): Promise<StoredUser | undefined> {
  try {
    return await storage.createUser(user, account, session)
  } catch (cause) {
    const code = account.type === 'email' ? 'EmailCreateAccount' : 'OAuthCreateAccount'
    throw new AuthError(code, 'the user could not be stored', { cause, status: 503 })
  }
}

/** The tokens of the latest sign-in are those that work. */
async function keepTokens(storage: GuardedStorage, account: Account): Promise<void> {
  const tokens = tokensOf(account)
  if (Object.keys(tokens).length === 0) return
  if (!storage.capabilities.includes('accountUpdates')) return
  await storage.updateAccount(account.provider, account.providerAccountId, tokens)
}

/** An account without what names it. */
function tokensOf(account: Account): Tokens {
  const names = ['provider', 'type', 'providerAccountId']
  return Object.fromEntries(Object.entries(account).filter(([field]) => !names.includes(field)))
}

/** What the profile added stays; what is stored counts for the rest. */
function as(user: StoredUser, person: SignIn): SignIn {
  return { ...person, user: { ...person.user, ...user } }
}

function asNew(provider: Provider, person: SignIn, random: Runtime['random']): SignIn {
  const emailVerified = isTrusted(provider, person.user)
  return { ...person, user: { ...person.user, id: uuid(random), emailVerified } }
}

/** What an untrusted provider says of an address must not let its owner in to somebody else's user. */
function isTrusted(provider: Provider, user: User): boolean {
  return provider.linkByVerifiedEmail === true && user.emailVerified
}

function storedOf({ id, name, email, emailVerified, image }: User): StoredUser {
  return { id, name, email, emailVerified, image }
}

/** A random UUID (RFC 9562 §5.4): databases that are there already may want nothing else. */
function uuid(random: Runtime['random']): string {
  const bytes = random(16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
