import { ConfigurationError } from '@latchkey/core'
import type { Storage } from '@latchkey/core'
import { accountVerbs } from './accounts.ts'
import { runnerOf } from './client.ts'
import type { RedisClient } from './client.ts'
import { sessionVerbs } from './sessions.ts'
import { tokenVerbs } from './tokens.ts'
import { userVerbs } from './users.ts'

export interface RedisStorageOptions {
  /**
   * What all keys begin with. Every verb is one step over several keys, so in a Redis Cluster they
   * have to live in one slot: that is what the braces are for. Default: `{latchkey}:`
   */
  readonly prefix?: string
}

/**
 * Users, accounts, sessions, single-use tokens and counters in Redis (6.2 or later) or Valkey. Each
 * verb is one Lua script, and so one atomic step.
 *
 * @param client A client of `redis` (node-redis) or of `ioredis`: yours to connect and to close
 * @throws ConfigurationError where the client is of neither library, or the prefix is no text
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
export function redisStorage(client: RedisClient, options: RedisStorageOptions = {}): Storage {
  const { prefix = '{latchkey}:' } = options
  if (typeof prefix !== 'string' || prefix === '') {
    throw new ConfigurationError('prefix', 'must be a text that is not empty')
  }
  const run = runnerOf(client, prefix)
  return { ...userVerbs(run), ...accountVerbs(run), ...sessionVerbs(run), ...tokenVerbs(run) }
}

export type { IoRedisClient, NodeRedisCall, NodeRedisClient, RedisClient } from './client.ts'
