import { ConfigurationError } from '@latchkey/core'
import type { Account, Capability } from '@latchkey/core'

type Awaitable<T> = T | PromiseLike<T>

/** A user as Auth.js adapters give it. */
export interface AuthjsUser {
  /** Some adapters count their users. */
  id: string | number
  name?: string | null | undefined
  email?: string | null | undefined
  /** When the address was first proven by a mail. */
  emailVerified: Date | null
  image?: string | null | undefined
}

/** An account as Auth.js adapters keep it. */
export interface AuthjsAccount extends Account {
  userId: AuthjsUser['id']
}

/** A session as Auth.js adapters keep it: nothing besides. */
export interface AuthjsSession {
  sessionToken: string
  userId: AuthjsUser['id']
  expires: Date
}

/** A verification token as Auth.js adapters keep it. */
export interface AuthjsVerificationToken {
  identifier: string
  token: string
  expires: Date
}

/** What tells accounts apart. */
export type AccountName = Pick<Account, 'provider' | 'providerAccountId'>

/**
 * What is used of the type `Adapter` of `@auth/core` and of next-auth v4. Adapters of either kind can
 * be assigned to it.
 */
export interface AuthjsAdapter {
  createUser?(user: AuthjsUser): Awaitable<AuthjsUser>
  getUser?(id: string): Awaitable<AuthjsUser | null | undefined>
  getUserByEmail?(email: string): Awaitable<AuthjsUser | null | undefined>
  getUserByAccount?(account: AccountName): Awaitable<AuthjsUser | null | undefined>
  updateUser?(
    user: Partial<AuthjsUser> & Pick<AuthjsUser, 'id'>,
  ): Awaitable<AuthjsUser | null | undefined>
  deleteUser?(id: AuthjsUser['id']): unknown
  linkAccount?(account: AuthjsAccount): unknown
  getAccount?(
    providerAccountId: string,
    provider: string,
  ): Awaitable<AccountName | null | undefined>
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
type Having<M extends Method> = AuthjsAdapter & Required<Pick<AuthjsAdapter, M>>

const mandatory = [
  'createUser',
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'updateUser',
  'linkAccount',
] as const
/** An adapter with everything that no storage can do without. */
export type UsableAdapter = Having<(typeof mandatory)[number]>

const methodsOf: readonly (readonly [Capability, readonly Method[]])[] = [
  ['sessions', ['createSession', 'getSessionAndUser', 'updateSession', 'deleteSession']],
  ['verificationTokens', ['createVerificationToken', 'useVerificationToken']],
]

/**
 * Checks the option `storage`.
 *
 * @throws ConfigurationError naming the first method that is missing
 */
export function usable(adapter: AuthjsAdapter): UsableAdapter {
  needs(adapter, ...mandatory)
  return adapter
}

/** What an adapter can do, by the methods it has. */
export function capabilitiesOf(adapter: AuthjsAdapter): Capability[] {
  return methodsOf
    .filter(([, methods]) => methods.every((method) => has(adapter, method)))
    .map(([capability]) => capability)
}

/** @throws ConfigurationError naming the first method that is missing */
export function needs<A extends AuthjsAdapter, M extends Method>(
  adapter: A,
  ...methods: readonly M[]
): asserts adapter is A & Having<M> {
  const missing = methods.find((method) => !has(adapter, method))
  if (missing !== undefined) {
    throw new ConfigurationError('storage', `the Auth.js adapter has no method ${missing}`)
  }
}

function has(adapter: AuthjsAdapter, method: Method): boolean {
  return typeof (adapter as AuthjsAdapter | null | undefined)?.[method] === 'function'
}
