import type { StorageGroup, Storage } from '@latchkey/core'
import { createCallObject } from './objects.ts'
import type { ObjectNamespace, ObjectOptions } from './objects.ts'
import { createOneTimeMethods } from './one-time.ts'
import { createSessionMethods } from './sessions.ts'
import { getCapabilities } from '@latchkey/core/unstable'

/** The options of {@link withDurableObjects}. */
export interface DurableObjectsOptions extends ObjectOptions {
  /**
   * Whether sessions are kept in Durable Objects too, each user's in one object: a session that ends has then
   * ended in all locations, without a read of the primary database. Sessions that were stored before are not
   * read any more. Default: false
   */
  readonly sessions?: boolean
}

/** What is always moved. */
const oneTime: readonly StorageGroup[] = ['verificationTokens', 'increment', 'revocations', 'steps']
/** What is moved with the sessions. */
const sessions: readonly StorageGroup[] = [
  'sessions',
  'sessionData',
  'sessionLists',
  'sessionAccounts',
]
/** What users can still have in their storage. A later capability may need users and sessions in one step. */
const users: readonly StorageGroup[] = [
  'unverifiedEmails',
  'userLists',
  'accountLists',
  'accountUpdates',
  'accountTimes',
  'factors',
  'grants',
  'clients',
]

/**
 * Moves counters, verification tokens, revocations and optionally sessions of a storage into Durable Objects.
 * Limits and single use then hold for all locations together. Users and accounts stay in the storage.
 *
 * @param storage Keeps users and accounts. It need not have the capabilities that are moved
 * @param namespace The binding of `LatchkeyObject`
 * @throws ConfigurationError `namespace`
 *
 * @example
 *   import { withDurableObjects } from '@latchkey/durable-objects'
 *   import type { ObjectNamespace } from '@latchkey/durable-objects'
 *   import { d1Storage } from '@latchkey/storage-sql/d1'
 *   import type { D1 } from '@latchkey/storage-sql/d1'
 *
 *   declare const env: { readonly DB: D1; readonly LATCHKEY: ObjectNamespace }
 *   const storage = withDurableObjects(d1Storage(env.DB), env.LATCHKEY, { sessions: true })
 */
export function withDurableObjects<S extends Storage>(
  storage: S,
  namespace: ObjectNamespace,
  options: DurableObjectsOptions = {},
): S {
  const call = createCallObject(namespace, options)
  const capabilities = getMovedCapabilities(storage, options)
  return {
    ...storage,
    ...createOneTimeMethods(storage, call),
    // An object has no replicas.
    ...(options.sessions && { ...createSessionMethods(storage, call), maxLag: undefined }),
    ...(capabilities && { capabilities }),
  }
}

/** Returns what the storage can do afterwards; undefined if that is everything. */
function getMovedCapabilities(
  storage: Storage,
  options: DurableObjectsOptions,
): readonly StorageGroup[] | undefined {
  const { capabilities } = storage
  if (options.sessions) {
    const all = getCapabilities(storage)
    const kept = users.filter((capability) => all.includes(capability))
    return [...kept, ...oneTime, ...sessions]
  }
  return capabilities && [...new Set([...capabilities, ...oneTime])]
}
