import { ConfigurationError } from '@latchkey/core'
import type { Storage, UserFields } from '@latchkey/core'
import { resolveTimeout } from '@latchkey/core/timeout'
import { createAccountMethods } from './accounts.ts'
import { createScriptRunner } from './client.ts'
import type { RedisClient } from './client.ts'
import { createUserMapping } from './records.ts'
import { createRevocationMethods } from './revocations.ts'
import { createSessionMethods } from './sessions.ts'
import { createTokenMethods } from './tokens.ts'
import { createUserMethods } from './users.ts'

/** The options of {@link redisStorage}. */
export interface RedisStorageOptions<Fields = unknown> {
  /**
   * The first part of all keys. A method uses several keys in one step, which a Redis Cluster allows
   * only within one slot: the part in braces decides the slot. Default: `{latchkey}:`
   */
  readonly prefix?: string
  /**
   * Seconds after which a call fails if the server has not answered: more than 0, and less than the
   * option `timeouts.request` of `createAuth`. Default: 8
   */
  readonly timeout?: number
  /**
   * The application's own fields of a user, as `userFields` of `@latchkey/core/user-fields` creates them:
   * fields of the user's hash. Default: none
   */
  readonly fields?: UserFields<Fields>
}

/**
 * Creates a storage for users, accounts, sessions, single-use tokens, counters and revocations in
 * Redis (6.2 or later) or Valkey. Each method is one Lua script, and so one atomic step.
 *
 * @param client A client of `redis` (node-redis) or of `ioredis`. The application connects and closes
 *   it
 * @throws ConfigurationError `client`, if it belongs to neither library; `prefix`, if it is not a
 *   string or empty; `timeout`; `fields`
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { github } from '@latchkey/core/providers/github'
 *   import { redisStorage } from '@latchkey/storage-redis'
 *   import type { RedisClient } from '@latchkey/storage-redis'
 *
 *   declare const client: RedisClient // await createClient({ url }).connect(), or new Redis(url)
 *   const auth = createAuth({
 *     secret: 'at least thirty-two random bytes, kept secret',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     storage: redisStorage(client),
 *   })
 */
export function redisStorage<Fields = unknown>(
  client: RedisClient,
  options: RedisStorageOptions<Fields> = {},
): Storage<Fields> {
  const { prefix = '{latchkey}:', fields } = options
  if (typeof prefix !== 'string' || prefix === '') {
    throw new ConfigurationError('prefix', 'must be a string that is not empty')
  }
  if (fields && typeof fields.decode !== 'function') {
    throw new ConfigurationError('fields', 'must be created by userFields(…)')
  }
  const run = createScriptRunner(client, prefix, resolveTimeout(options.timeout))
  const users = createUserMapping(fields)
  const storage: Storage = {
    ...createUserMethods(run, users),
    ...createAccountMethods(run),
    ...createSessionMethods(run, users),
    ...createTokenMethods(run),
    ...createRevocationMethods(run),
  }
  return { ...(storage as Storage<Fields>), ...(fields && { fields }) }
}

export type { IoRedisClient, NodeRedisCall, NodeRedisClient, RedisClient } from './client.ts'
