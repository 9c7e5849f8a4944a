import { AuthError, ConfigurationError } from '../errors.ts'
import { assertCalled } from '../lib/called-function.ts'
import type { Capability, Storage } from '../ports/storage.ts'

type Method = Exclude<keyof Storage, 'capabilities'>

/** The methods that every storage has. */
const required: readonly Method[] = [
  'createUser',
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'updateUser',
  'deleteUser',
  'linkAccount',
]

/** The methods of each capability. */
const optional: Readonly<Record<Capability, readonly Method[]>> = {
  sessions: ['createSession', 'getSessionAndUser', 'updateSession', 'deleteSession'],
  sessionData: [],
  sessionLists: ['listSessions', 'deleteSessions'],
  sessionAccounts: ['deleteAccountSessions'],
  unverifiedEmails: [],
  accountLists: ['listAccounts', 'unlinkAccount'],
  accountUpdates: ['updateAccount'],
  verificationTokens: ['createVerificationToken', 'useVerificationToken'],
  increment: ['increment'],
  revocations: ['createRevocation', 'getRevocation'],
}

/** A storage whose failures are `Unavailable` errors. */
export interface GuardedStorage extends Storage {
  /** What the storage can do, defaults applied. */
  readonly capabilities: readonly Capability[]
}

/**
 * Checks the option `storage`, and turns its failures into `Unavailable`.
 *
 * @throws ConfigurationError if it lacks a method that its capabilities promise, or is a function
 */
export function guardStorage(storage: Storage): GuardedStorage {
  assertCalled('storage', storage)
  const capabilities = storage.capabilities ?? (Object.keys(optional) as Capability[])
  const unknown = capabilities.find((capability) => !Object.hasOwn(optional, capability))
  if (unknown !== undefined) {
    throw new ConfigurationError('storage', `unknown capability ${unknown}`)
  }
  const methods = [...required, ...capabilities.flatMap((capability) => optional[capability])]
  const missing = methods.find((method) => typeof storage[method] !== 'function')
  if (missing !== undefined) {
    throw new ConfigurationError('storage', `does not implement ${missing}()`)
  }
  return { ...toGuarded(storage), capabilities }
}

/** A method that is missing rejects like one that fails: options that need it are refused at start-up. */
function toGuarded(storage: Storage): Omit<Storage, 'capabilities'> {
  return {
    createUser: (user, account, session) =>
      guard('createUser', () => storage.createUser(user, account, session)),
    getUser: (id) => guard('getUser', () => storage.getUser(id)),
    getUserByEmail: (email) => guard('getUserByEmail', () => storage.getUserByEmail(email)),
    getUserByAccount: (provider, id) =>
      guard('getUserByAccount', () => storage.getUserByAccount(provider, id)),
    updateUser: (id, changes) => guard('updateUser', () => storage.updateUser(id, changes)),
    deleteUser: (id) => guard('deleteUser', () => storage.deleteUser(id)),
    linkAccount: (userId, account, verifiedEmail) =>
      guard('linkAccount', () => storage.linkAccount(userId, account, verifiedEmail)),
    listAccounts: (userId) => guard('listAccounts', () => storage.listAccounts(userId)),
    updateAccount: (provider, id, tokens, expected) =>
      guard('updateAccount', () => storage.updateAccount(provider, id, tokens, expected)),
    unlinkAccount: (userId, provider, id) =>
      guard('unlinkAccount', () => storage.unlinkAccount(userId, provider, id)),
    createSession: (userId, session) =>
      guard('createSession', () => storage.createSession(userId, session)),
    getSessionAndUser: (id, now) =>
      guard('getSessionAndUser', () => storage.getSessionAndUser(id, now)),
    updateSession: (id, changes) =>
      guard('updateSession', () => storage.updateSession(id, changes)),
    deleteSession: (id) => guard('deleteSession', () => storage.deleteSession(id)),
    listSessions: (userId, now) => guard('listSessions', () => storage.listSessions(userId, now)),
    deleteSessions: (userId, except) =>
      guard('deleteSessions', () => storage.deleteSessions(userId, except)),
    deleteAccountSessions: (sessions) =>
      guard('deleteAccountSessions', () => storage.deleteAccountSessions(sessions)),
    createVerificationToken: (token) =>
      guard('createVerificationToken', () => storage.createVerificationToken(token)),
    useVerificationToken: (identifier, token, now) =>
      guard('useVerificationToken', () => storage.useVerificationToken(identifier, token, now)),
    increment: (key, window, now) => guard('increment', () => storage.increment(key, window, now)),
    createRevocation: (revocation) =>
      guard('createRevocation', () => storage.createRevocation(revocation)),
    getRevocation: (key, now) => guard('getRevocation', () => storage.getRevocation(key, now)),
  }
}

async function guard<T>(method: Method, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new AuthError('Unavailable', `storage.${method} failed`, { cause })
  }
}

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
