import { ConfigurationError } from '@latchkey/core'
import type { Account, StorageGroup } from '@latchkey/core'

/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>

/** A user of an Auth.js adapter. */
export interface AuthjsUser {
  /** A number in adapters whose database numbers the users. */
  id: string | number
  name?: string | null | undefined
  email?: string | null | undefined
  /** When a mail first proved the email address. */
  emailVerified: Date | null
  image?: string | null | undefined
}

/** An account of an Auth.js adapter. */
export interface AuthjsAccount extends Account {
  userId: AuthjsUser['id']
}

/** A session of an Auth.js adapter. */
export interface AuthjsSession {
  sessionToken: string
  userId: AuthjsUser['id']
  expires: Date
}

/** A verification token of an Auth.js adapter. */
export interface AuthjsVerificationToken {
  identifier: string
  token: string
  expires: Date
}

/** The fields that identify an account. */
export type AccountKey = Pick<Account, 'provider' | 'providerAccountId'>

/**
 * The members of an `Adapter` that the storage uses. The types `Adapter` of `@auth/core` and of
 * next-auth v4 are assignable to it.
 */
export interface AuthjsAdapter {
  createUser?(user: AuthjsUser): Awaitable<AuthjsUser>
  getUser?(id: string): Awaitable<AuthjsUser | null | undefined>
  getUserByEmail?(email: string): Awaitable<AuthjsUser | null | undefined>
  getUserByAccount?(account: AccountKey): Awaitable<AuthjsUser | null | undefined>
  updateUser?(
    user: Partial<AuthjsUser> & Pick<AuthjsUser, 'id'>,
  ): Awaitable<AuthjsUser | null | undefined>
  deleteUser?(id: AuthjsUser['id']): unknown
  linkAccount?(account: AuthjsAccount): unknown
  getAccount?(providerAccountId: string, provider: string): Awaitable<AccountKey | null | undefined>
  createSession?(session: AuthjsSession): unknown
  getSessionAndUser?(
    sessionToken: string,
  ): Awaitable<{ session: AuthjsSession; user: AuthjsUser } | null | undefined>
  updateSession?(session: Pick<AuthjsSession, 'sessionToken' | 'expires'>): unknown
  deleteSession?(sessionToken: string): unknown
  createVerificationToken?(token: AuthjsVerificationToken): unknown
  useVerificationToken?(
    params: Pick<AuthjsVerificationToken, 'identifier' | 'token'>,
  ): Awaitable<AuthjsVerificationToken | null | undefined>
}

type Method = keyof AuthjsAdapter
type WithMethods<M extends Method> = AuthjsAdapter & Required<Pick<AuthjsAdapter, M>>

const requiredMethods = [
  'createUser',
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'updateUser',
  'linkAccount',
] as const

/** An adapter with the methods that every storage needs. */
export type UsableAdapter = WithMethods<(typeof requiredMethods)[number]>

const capabilityMethods: readonly (readonly [StorageGroup, readonly Method[]])[] = [
  ['sessions', ['createSession', 'getSessionAndUser', 'updateSession', 'deleteSession']],
  ['verificationTokens', ['createVerificationToken', 'useVerificationToken']],
]

/**
 * Checks that an adapter has the methods that every storage needs.
 *
 * @throws ConfigurationError `storage`, with the name of the first missing method
 */
export function toUsableAdapter(adapter: AuthjsAdapter): UsableAdapter {
  checkMethods(adapter, ...requiredMethods)
  return adapter
}

/** Returns the capabilities that an adapter has the methods for. */
export function getCapabilities(adapter: AuthjsAdapter): StorageGroup[] {
  return capabilityMethods
    .filter(([, methods]) => methods.every((method) => hasMethod(adapter, method)))
    .map(([capability]) => capability)
}

/**
 * Checks that an adapter has some methods.
 *
 * @throws ConfigurationError `storage`, with the name of the first missing method
 */
export function checkMethods<A extends AuthjsAdapter, M extends Method>(
  adapter: A,
  ...methods: readonly M[]
): asserts adapter is A & WithMethods<M> {
  const missing = methods.find((method) => !hasMethod(adapter, method))
  if (missing !== undefined) {
    throw new ConfigurationError('storage', `the Auth.js adapter does not implement ${missing}()`)
  }
}

function hasMethod(adapter: AuthjsAdapter | null | undefined, method: Method): boolean {
  return typeof adapter?.[method] === 'function'
}
