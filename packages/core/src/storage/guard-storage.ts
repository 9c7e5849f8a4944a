import { AuthError, ConfigurationError } from '../lib/errors.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Clients, Grants } from '../ports/grants.ts'
import type { Clock } from '../ports/runtime.ts'
import type {
  StorageGroup,
  Factors,
  Steps,
  Storage,
  UnverifiedUsers,
  UserLists,
} from '../ports/storage.ts'

type Method = Exclude<keyof Storage, 'storedUsers' | 'capabilities' | 'fields' | 'maxLag'>

/** The methods that every storage has. */
const required = [
  'createUser',
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'updateUser',
  'deleteUser',
  'linkAccount',
] as const satisfies readonly Method[]

/** The methods of each capability. */
const optional = {
  sessions: ['createSession', 'getSessionAndUser', 'updateSession', 'deleteSession'],
  sessionData: [],
  sessionLists: ['listSessions', 'deleteSessions'],
  sessionAccounts: ['deleteAccountSessions'],
  unverifiedEmails: [],
  userLists: ['listUsers'],
  accountLists: ['listAccounts', 'unlinkAccount'],
  accountUpdates: ['updateAccount'],
  accountTimes: [],
  verificationTokens: ['createVerificationToken', 'useVerificationToken'],
  increment: ['increment'],
  revocations: ['createRevocation', 'getRevocation'],
  outbox: ['takeEvents', 'postponeEvent', 'deleteEvents', 'purgeEvents'],
  factors: ['createFactor', 'getFactorAndUser', 'listFactors', 'updateFactor', 'deleteFactor'],
  steps: ['createStep', 'takeStep'],
  unverifiedUsers: ['listUsersByEmail', 'joinUser'],
  grants: [
    'createGrant',
    'getGrantAndUser',
    'getGrantByKey',
    'updateGrant',
    'deleteGrant',
    'listGrants',
    'deleteGrants',
  ],
  clients: ['createClient', 'getClient', 'updateClient', 'deleteClient', 'listClients'],
} as const satisfies Readonly<Record<StorageGroup, readonly Method[]>>

/** The compiler demands that these are all methods. */
type ListedMethod = (typeof required)[number] | (typeof optional)[StorageGroup][number]

function isStorageGroup(name: string): name is StorageGroup {
  return Object.hasOwn(optional, name)
}

/** The methods that a storage may lack. */
interface Later extends UserLists, Factors, Steps, UnverifiedUsers, Grants, Clients {}

/** The option `storage`: its methods reject with an `AuthError` `Unavailable` if they fail or take too long. */
export interface GuardedStorage extends Omit<Storage, keyof Later | 'storedUsers'>, Later {
  /** What the storage can do, defaults applied. */
  readonly capabilities: readonly StorageGroup[]
  /** The types of factors that the service declares. */
  readonly declared: DeclaredTypes
}

/**
 * Checks the option `storage`, and turns its failures into `Unavailable`. A method that does not answer
 * in time fails.
 *
 * @param timeout Seconds
 * @throws ConfigurationError if it lacks a method that its capabilities promise
 */
export function guardStorage(storage: Storage, timeout: number, clock: Clock): GuardedStorage {
  const capabilities = getCapabilities(storage)
  const unknown = capabilities.find((name: string) => !isStorageGroup(name))
  if (unknown !== undefined) {
    throw new ConfigurationError('storage', `unknown capability ${unknown}`)
  }
  const promised = [...required, ...capabilities.flatMap((capability) => optional[capability])]
  const missing = promised.find((method) => typeof storage[method] !== 'function')
  if (missing !== undefined) {
    throw new ConfigurationError('storage', `does not implement ${missing}()`)
  }
  const inTime: InTime = (call) => withTimeout(call, timeout, undefined, clock)
  const listed = [required, ...Object.values(optional)].flat()
  const guarded = listed.map((method) => [method, guard(storage, method, inTime)])
  const methods = Object.fromEntries(guarded) as Required<Pick<Storage, ListedMethod>>
  const { fields, maxLag } = storage
  return { ...methods, capabilities, declared: { signsInBy: [], backups: [] }, fields, maxLag }
}

/** Returns what a storage can do, with the default applied. */
export function getCapabilities(storage: Storage): readonly StorageGroup[] {
  const names = Object.keys(optional).filter(isStorageGroup)
  return (
    storage.capabilities ??
    names.filter((name) => isDefault(name) || optional[name].some((method) => storage[method]))
  )
}

/** A storage from before these capabilities is still everything that it was. */
const later: readonly StorageGroup[] = [
  'userLists',
  'factors',
  'steps',
  'unverifiedUsers',
  'grants',
  'clients',
]

function isDefault(capability: StorageGroup): boolean {
  return !later.includes(capability)
}

type AnyMethod = (...args: never[]) => Promise<unknown>
type InTime = (call: Promise<unknown>) => Promise<unknown>
type AnyStorage = { readonly [Name in Method]?: AnyMethod }

/** A missing method rejects like a method that fails: options that need it are refused at start-up. */
function guard(storage: AnyStorage, method: Method, inTime: InTime): AnyMethod {
  return async (...args) => {
    try {
      const answer = storage[method]?.(...args)
      if (!answer) throw new TypeError('the storage does not implement it')
      return await inTime(answer)
    } catch (cause) {
      throw new AuthError('Unavailable', `storage.${method} failed`, { cause })
    }
  }
}

/** What a service declares of types of factors (I-63.7). */
export interface DeclaredTypes {
  /** The types by which users sign in. */
  readonly signsInBy: readonly string[]
  /** The types that only stand in for others: users do not sign in by them. */
  readonly backups: readonly string[]
}

/** Returns a storage whose methods receive the declared types, so that their callers do not repeat them. */
export function declareTypes<T extends GuardedStorage>(
  storage: T,
  { signsInBy, backups }: DeclaredTypes,
): T {
  return {
    ...storage,
    declared: { signsInBy, backups },
    linkAccount: (userId, account, verifiedEmail, events) =>
      storage.linkAccount(userId, account, verifiedEmail, events, backups),
    unlinkAccount: (userId, provider, providerAccountId, events) =>
      storage.unlinkAccount(userId, provider, providerAccountId, events, signsInBy),
    deleteFactor: (userId, type, id, events, types = signsInBy) =>
      storage.deleteFactor(userId, type, id, events, types),
  }
}

/** What a storage needs to keep access tokens and to refresh them once. */
export const tokenCapabilities: readonly StorageGroup[] = [
  'accountLists',
  'accountUpdates',
  'increment',
]

/**
 * Returns the storage if it can do what an option needs.
 *
 * @param option The id of the capability, which the message names
 * @param needs Capabilities of the storage, such as `sessions` and `increment`; `[]` for what every storage can do
 *
 * @throws ConfigurationError naming the option and what is missing
 */
export function requireStorage<T extends GuardedStorage>(
  storage: T | undefined,
  option: string,
  needs: readonly StorageGroup[],
): T {
  if (!storage) throw new ConfigurationError(option, 'needs the option storage')
  const missing = needs.find((capability) => !storage.capabilities.includes(capability))
  if (missing === undefined) return storage
  throw new ConfigurationError(option, `needs a storage with the capability ${missing}`)
}
