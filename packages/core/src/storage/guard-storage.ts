import { AuthError, ConfigurationError } from '../errors.ts'
import type { Capability, Storage } from '../ports/storage.ts'

type Verb = Exclude<keyof Storage, 'capabilities'>

/** The verbs that every storage has, and those of each capability. */
const always: readonly Verb[] = [
  'createUser',
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'updateUser',
  'deleteUser',
  'linkAccount',
]
const verbsOf: Readonly<Record<Capability, readonly Verb[]>> = {
  sessions: ['createSession', 'getSessionAndUser', 'updateSession', 'deleteSession'],
  sessionData: [],
  sessionLists: ['listSessions', 'deleteSessions'],
  accountLists: ['listAccounts', 'unlinkAccount'],
  accountUpdates: ['updateAccount'],
  verificationTokens: ['createVerificationToken', 'useVerificationToken'],
  increment: ['increment'],
}

/** A storage whose failures are answers of the service. */
export interface GuardedStorage extends Storage {
  /** What it can do, said even where the storage leaves it out. */
  readonly capabilities: readonly Capability[]
}

/**
 * Checks the option `storage`, and makes of every failure of it an `Unavailable`.
 *
 * @throws ConfigurationError where it lacks a verb that it claims
 */
export function guardStorage(storage: Storage): GuardedStorage {
  const capabilities = storage.capabilities ?? (Object.keys(verbsOf) as Capability[])
  const unknown = capabilities.find((capability) => !Object.hasOwn(verbsOf, capability))
  if (unknown !== undefined)
    throw new ConfigurationError('storage', `claims ${unknown}, which is no capability`)
  const verbs = [...always, ...capabilities.flatMap((capability) => verbsOf[capability])]
  const missing = verbs.find((verb) => typeof storage[verb] !== 'function')
  if (missing !== undefined) throw new ConfigurationError('storage', `has no verb ${missing}`)
  const guarded = verbs.map((verb) => [verb, guard(storage, verb)] as const)
  return { ...(Object.fromEntries(guarded) as unknown as Storage), capabilities }
}

type Work = (...args: readonly unknown[]) => Promise<unknown>

function guard(storage: Storage, verb: Verb): Work {
  return async (...args) => {
    try {
      return await (storage as unknown as Record<Verb, Work>)[verb](...args)
    } catch (cause) {
      throw new AuthError('Unavailable', `storage.${verb} has failed`, { cause })
    }
  }
}

/**
 * Makes sure that there is a storage that can do what an option needs.
 *
 * @throws ConfigurationError naming the option and what is missing
 */
export function requireStorage(
  storage: GuardedStorage | undefined,
  option: string,
  needs: readonly Capability[],
): GuardedStorage {
  if (!storage) throw new ConfigurationError(option, 'needs the option storage')
  const lacking = needs.find((capability) => !storage.capabilities.includes(capability))
  if (lacking === undefined) return storage
  throw new ConfigurationError(option, `needs a storage that is capable of ${lacking}`)
}
