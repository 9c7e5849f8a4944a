import type { RedisClient, RedisStorage } from '@latchkey/storage-redis'
import { redisUrl } from '@latchkey/test-support/servers'
import { Redis } from 'ioredis'
import { createClient, RESP_TYPES } from 'redis'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createPrefix, createStorage, isRedisReachable, storageCases } from './support/clients.ts'

/** Options of clients that change replies or keys. */
const clients: readonly {
  readonly name: string
  readonly open: () => Promise<{ readonly client: RedisClient; readonly close: () => unknown }>
}[] = [
  { name: 'ioredis with stringNumbers', open: () => openIoRedis({ stringNumbers: true }) },
  { name: 'ioredis with keyPrefix', open: () => openIoRedis({ keyPrefix: createPrefix() }) },
  {
    name: 'ioredis with enableAutoPipelining',
    open: () => openIoRedis({ enableAutoPipelining: true }),
  },
  { name: 'node-redis with RESP 3', open: () => openNodeRedis({ RESP: 3 }) },
  {
    name: 'node-redis with typeMapping',
    open: () =>
      openNodeRedis({
        commandOptions: {
          typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.NUMBER]: String },
        },
      }),
  },
]

async function openIoRedis(options: object) {
  const client = new Redis(redisUrl, { ...options, lazyConnect: true, maxRetriesPerRequest: 0 })
  await client.connect()
  return { client, close: () => client.disconnect() }
}

async function openNodeRedis(options: object) {
  const client = createClient({ url: redisUrl, ...options })
  client.on('error', () => {})
  await client.connect()
  return { client, close: () => client.destroy() }
}

describe.for(isRedisReachable ? clients : [])('the storage contract: $name', ({ open }) => {
  let storage: RedisStorage
  let end: () => unknown
  beforeAll(async () => {
    const { client, close } = await open()
    storage = createStorage(client, { prefix: createPrefix() })
    end = close
  })
  afterAll(() => end())
  test.for(storageCases)('$name', ({ run }) => run(storage))
})
