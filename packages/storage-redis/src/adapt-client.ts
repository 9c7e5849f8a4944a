import { ConfigurationError } from '@latchkey/core'
import type { IoRedisClient, NodeRedisClient, RedisClient } from './client.ts'
import type { Connection } from './connection.ts'
import { adaptIoRedis } from './ioredis.ts'
import { adaptNodeRedis } from './node-redis.ts'
import { createRetry } from './retry.ts'
import type { Retry } from './retry.ts'

/** A client with the retries of all storages that use it. */
export interface SharedConnection extends Connection {
  readonly retry: Retry
}

/** The clients in use: each is watched once, whatever the number of its storages. */
const connections = new WeakMap<RedisClient, SharedConnection>()

/**
 * Adapts a client of either library.
 *
 * @throws ConfigurationError `client`, if it belongs to neither library, or sends commands twice
 */
export function adaptClient(client: RedisClient): SharedConnection {
  const known = connections.get(client)
  if (known) return known
  const connection = { ...adapt(client), retry: createRetry() }
  connections.set(client, connection)
  return connection
}

function adapt(client: RedisClient): Connection {
  if (isNodeRedis(client)) return adaptNodeRedis(client)
  if (isIoRedis(client)) return adaptIoRedis(client)
  throw new ConfigurationError('client', 'must be a client of redis (node-redis) or of ioredis')
}

function isNodeRedis(client: RedisClient): client is NodeRedisClient {
  return typeof Object(client).evalSha === 'function'
}

function isIoRedis(client: RedisClient): client is IoRedisClient {
  return typeof Object(client).evalsha === 'function'
}
