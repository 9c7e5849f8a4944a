import type { Storage } from '@latchkey/core'
import { storageContract } from '@latchkey/core/testing/storage-contract'
import { contractFields, userFieldsContract } from '@latchkey/core/testing/user-fields-contract'
import { redisStorage } from '@latchkey/storage-redis'
import type { IoRedisClient, NodeRedisClient, RedisClient } from '@latchkey/storage-redis'
import { Cluster as IoCluster } from 'ioredis'
import type { Cluster, Redis } from 'ioredis'
import { createCluster } from 'redis'
import type { createClient, createClientPool, createSentinel } from 'redis'
import { afterAll, beforeAll, describe, expectTypeOf, test } from 'vitest'
import { createPrefix, onEveryLibrary } from './support/clients.ts'
import { startCluster } from './support/servers.ts'

const cluster = await startCluster()

test('both libraries’ clients are assignable', () => {
  expectTypeOf<ReturnType<typeof createClient>>().toExtend<NodeRedisClient>()
  expectTypeOf<ReturnType<typeof createClientPool>>().toExtend<NodeRedisClient>()
  expectTypeOf<ReturnType<typeof createCluster>>().toExtend<NodeRedisClient>()
  expectTypeOf<ReturnType<typeof createSentinel>>().toExtend<NodeRedisClient>()
  expectTypeOf<Redis>().toExtend<IoRedisClient>()
  expectTypeOf<Cluster>().toExtend<IoRedisClient>()
  expectTypeOf<NodeRedisClient | IoRedisClient>().toEqualTypeOf<RedisClient>()
})

onEveryLibrary('the storage contract: Redis', (connected) => {
  test.for(storageContract)('$name', ({ run }) => run(connected().storage))
})

onEveryLibrary('the contract of user fields: Redis', (connected) => {
  test.for(userFieldsContract)('$name', ({ run }) => {
    const { client, prefix } = connected()
    return run(redisStorage(client.client, { prefix, fields: contractFields }))
  })
})

if (cluster) {
  const names = ['redis', 'ioredis'] as const
  const storages: Partial<Record<(typeof names)[number], Storage>> = {}
  const closing: (() => unknown)[] = []
  beforeAll(async () => {
    const { hostname: host, port } = new URL(cluster.url)
    const io = new IoCluster([{ host, port: Number(port) }], { lazyConnect: true })
    const node = createCluster({ rootNodes: [{ url: cluster.url }] })
    await Promise.all([io.connect(), node.connect()])
    closing.push(
      () => io.disconnect(),
      () => node.destroy(),
    )
    // With the default prefix.
    storages.redis = redisStorage(node)
    storages.ioredis = redisStorage(io, { prefix: createPrefix() })
  })
  afterAll(async () => {
    for (const close of closing) close()
    await cluster.stop()
  })

  describe.for(names)('the storage contract: Redis Cluster through %s', (name) => {
    test.for(storageContract)('$name', ({ run }) => run(storages[name] as Storage))
  })
}
