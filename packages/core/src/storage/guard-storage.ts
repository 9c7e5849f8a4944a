import { AuthError, ConfigurationError } from '../errors.ts'
import { assertCalled } from '../lib/called-function.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Clock } from '../ports/runtime.ts'
import type { Capability, Storage } from '../ports/storage.ts'

type Method = Exclude<keyof Storage, 'capabilities' | 'fields'>

/** The capability of each method; undefined if every storage has the method. */
const methods: Readonly<Record<Method, Capability | undefined>> = {
  createUser: undefined,
  getUser: undefined,
  getUserByEmail: undefined,
  getUserByAccount: undefined,
  updateUser: undefined,
  deleteUser: undefined,
  linkAccount: undefined,
  createSession: 'sessions',
  getSessionAndUser: 'sessions',
  updateSession: 'sessions',
  deleteSession: 'sessions',
  listSessions: 'sessionLists',
  deleteSessions: 'sessionLists',
  deleteAccountSessions: 'sessionAccounts',
  listAccounts: 'accountLists',
  unlinkAccount: 'accountLists',
  updateAccount: 'accountUpdates',
  createVerificationToken: 'verificationTokens',
  useVerificationToken: 'verificationTokens',
  increment: 'increment',
  createRevocation: 'revocations',
  getRevocation: 'revocations',
}

const allCapabilities: Readonly<Record<Capability, true>> = {
  sessions: true,
  sessionData: true,
  sessionLists: true,
  sessionAccounts: true,
  unverifiedEmails: true,
  accountLists: true,
  accountUpdates: true,
  verificationTokens: true,
  increment: true,
  revocations: true,
}

/** A storage whose failures are `Unavailable` errors. */
export interface GuardedStorage extends Storage {
  /** What the storage can do, defaults applied. */
  readonly capabilities: readonly Capability[]
}

/**
 * Checks the option `storage`, and turns its failures into `Unavailable`. A method that does not answer
 * in time fails.
 *
 * @param timeout Seconds
 * @throws ConfigurationError if it lacks a method that its capabilities promise, or is a function
 */
export function guardStorage(storage: Storage, timeout: number, clock: Clock): GuardedStorage {
  assertCalled('storage', storage)
  const capabilities = storage.capabilities ?? (Object.keys(allCapabilities) as Capability[])
  const unknown = capabilities.find((capability) => !Object.hasOwn(allCapabilities, capability))
  if (unknown !== undefined) {
    throw new ConfigurationError('storage', `unknown capability ${unknown}`)
  }
  const entries = Object.entries(methods) as [Method, Capability | undefined][]
  for (const [method, capability] of entries) {
    const isPromised = capability === undefined || capabilities.includes(capability)
    if (!isPromised || typeof storage[method] === 'function') continue
    throw new ConfigurationError('storage', `does not implement ${method}()`)
  }
  const inTime: InTime = (call) => withTimeout(call, timeout, undefined, clock)
  const guarded = entries.map(([method]) => [method, guard(storage as AnyStorage, method, inTime)])
  return { ...(Object.fromEntries(guarded) as Storage), capabilities, fields: storage.fields }
}

type AnyMethod = (...args: never[]) => Promise<unknown>
type InTime = (call: Promise<unknown>) => Promise<unknown>
type AnyStorage = Readonly<Record<Method, AnyMethod>>

/** A missing method rejects like a method that fails: options that need it are refused at start-up. */
function guard(storage: AnyStorage, method: Method, inTime: InTime): AnyMethod {
  return async (...args) => {
    try {
      return await inTime(storage[method](...args))
    } catch (cause) {
      throw new AuthError('Unavailable', `storage.${method} failed`, { cause })
    }
  }
}

/** What a storage needs to keep access tokens and to refresh them once. */
export const tokenCapabilities: readonly Capability[] = [
  'accountLists',
  'accountUpdates',
  'increment',
]

/**
 * Returns the storage if it can do what an option needs.
 *
 * @throws ConfigurationError naming the option and what is missing
 */
export function requireStorage(
  storage: GuardedStorage | undefined,
  option: string,
  needs: readonly Capability[],
): GuardedStorage {
  if (!storage) throw new ConfigurationError(option, 'needs the option storage')
  const missing = needs.find((capability) => !storage.capabilities.includes(capability))
  if (missing === undefined) return storage
  throw new ConfigurationError(option, `needs a storage with the capability ${missing}`)
}
