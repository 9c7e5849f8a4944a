import { ConfigurationError } from '@latchkey/core'
import type { Logger, Storage, UserFields } from '@latchkey/core'
import { createAccountMethods } from './accounts.ts'
import { adaptClient } from './adapt-client.ts'
import type { RedisClient } from './client.ts'
import { createFactorMethods, listFactorUsers } from './factors.ts'
import { createClientMethods, createGrantMethods } from './grants.ts'
import { checkPrefix, createKeyRunners } from './keys.ts'
import { createOutboxMethods } from './outbox.ts'
import { createUserMapping } from './records.ts'
import { createRevocationMethods } from './revocations.ts'
import { createScriptRunner } from './run-script.ts'
import { getServerWarnings, createServerWarning } from './server-warnings.ts'
import type { ServerWarning } from './server-warnings.ts'
import { createSessionMethods } from './sessions.ts'
import { createStepMethods } from './steps.ts'
import { createTokenMethods } from './tokens.ts'
import { createUserMethods } from './users.ts'
import { storedUsers } from '@latchkey/core/storage'
import { resolveTimeout } from '@latchkey/core/unstable'

/** The options of {@link redisStorage}. */
export interface RedisStorageOptions<Fields = unknown> {
  /**
   * The first part of all keys. A method uses several keys of a user in one step, which a Redis Cluster
   * allows only within one slot: the part in braces decides the slot. Keys that belong to no user leave
   * the braces out. Default: `{latchkey}:`
   */
  readonly prefix?: string
  /**
   * Seconds after which a call fails if the server has not answered: more than 0, and less than the
   * option `timeouts.request` of `createAuth`. Within this time, a call that the server has refused or
   * not received is repeated. Default: 8
   */
  readonly timeout?: number
  /**
   * Receives a warning at the first use if the server may lose what is stored:
   * {@link RedisStorage.getServerWarnings}. Default: `console`
   */
  readonly logger?: Pick<Logger, 'warn'>
  /**
   * The application's own fields of a user, as `userFields` of `@latchkey/core/user-fields` creates them:
   * fields of the user's hash. Default: none
   */
  readonly fields?: UserFields<Fields>
}

/** A storage in Redis. */
export interface RedisStorage<Fields = unknown> extends Storage<Fields> {
  /**
   * Returns the settings with which the server loses what is stored: an eviction policy other than
   * `noeviction`, and no append-only file. On a cluster, only the node that keeps the users is asked. It
   * is a read.
   *
   * @throws Error of the client, or of a server that does not allow `INFO`
   */
  getServerWarnings(): Promise<readonly ServerWarning[]>
  /**
   * Returns the ids of the users who have factors, in any order, for `userIds` of `resealFactors`. A user who has one
   * all the time is returned at least once, and perhaps twice. It reads the names of all keys, a thousand at a
   * time.
   *
   * @throws Error of the client, while the ids are read
   */
  listFactorUsers(): AsyncIterable<string>
}

/**
 * Creates a storage for users, accounts, sessions, factors, grants, clients, single-use tokens, counters and revocations
 * in Redis (6.2 or later) or Valkey. Each method is one Lua script, and so one atomic step.
 *
 * @param client A client of `redis` (node-redis) or of `ioredis`. The application connects and closes
 *   it
 * @throws ConfigurationError `client`, if it belongs to neither library, or if it is a client of
 *   ioredis that sends commands again after a lost connection; `prefix`, if it is not a string or empty,
 *   or has no part in braces on a cluster; `timeout`; `fields`
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { github } from '@latchkey/core/providers/github'
 *   import { redisStorage } from '@latchkey/storage-redis'
 *   import type { RedisClient } from '@latchkey/storage-redis'
 *
 *   declare const client: RedisClient // await createClient({ url }).connect()
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     storage: redisStorage(client),
 *   })
 */
export function redisStorage<Fields = unknown>(
  client: RedisClient,
  options?: RedisStorageOptions<Fields>,
): RedisStorage<Fields>
export function redisStorage(client: RedisClient, options: RedisStorageOptions = {}): RedisStorage {
  const { prefix = '{latchkey}:', fields, logger = consoleLogger } = options
  const connection = adaptClient(client)
  checkPrefix(prefix, connection)
  if (fields && typeof fields.decode !== 'function') {
    throw new ConfigurationError('fields', 'must be created by userFields(…)')
  }
  const run = createScriptRunner(connection, resolveTimeout(options.timeout))
  const { runOnUsers, runOnKey } = createKeyRunners(run, prefix)
  // Counters and tokens may be lost: limits begin again, and emails are sent again.
  const addCheck = createServerWarning(runOnUsers, logger)
  const runChecked = addCheck(runOnUsers)
  const users = createUserMapping(fields)
  const storage: Storage = {
    storedUsers,
    ...createUserMethods(runChecked, users),
    ...createAccountMethods(runChecked),
    ...createSessionMethods(runChecked, users),
    ...createFactorMethods(runChecked, users),
    ...createGrantMethods(runChecked, users),
    ...createClientMethods(runChecked),
    ...createTokenMethods(runOnKey),
    ...createStepMethods(runOnKey),
    ...createRevocationMethods(addCheck(runOnKey)),
    ...createOutboxMethods(runChecked),
  }
  return {
    ...storage,
    ...(fields && { fields }),
    getServerWarnings: () => getServerWarnings(runOnUsers),
    listFactorUsers: () => listFactorUsers(runOnUsers),
  }
}

const consoleLogger: Pick<Logger, 'warn'> = {
  warn: (message) => console.warn(`[latchkey] ${message}`),
}

export type {
  IoRedisClient,
  IoRedisConnection,
  IoRedisOptions,
  NodeRedisCall,
  NodeRedisClient,
  NodeRedisConnection,
  RedisClient,
} from './client.ts'
export type { ServerWarning } from './server-warnings.ts'
