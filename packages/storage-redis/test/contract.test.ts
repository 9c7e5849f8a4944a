import type { IoRedisClient, NodeRedisClient, RedisClient } from '@latchkey/storage-redis'
import { redisStorage } from '@latchkey/storage-redis'
import type { Storage } from '@latchkey/core'
import { storageContract } from '@latchkey/core/testing/storage-contract'
import type { Cluster, Redis } from 'ioredis'
import { Cluster as IoCluster } from 'ioredis'
import type { createClient, createClientPool, createSentinel } from 'redis'
import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expectTypeOf, test } from 'vitest'
import { libraries, newPrefix, removeKeys } from './support/clients.ts'
import type { TestClient } from './support/clients.ts'
import { reachableRedis, startCluster } from './support/servers.ts'

const server = await reachableRedis()
const cluster = await startCluster()

test('the clients of both libraries fit as they are', () => {
  expectTypeOf<ReturnType<typeof createClient>>().toExtend<NodeRedisClient>()
  expectTypeOf<ReturnType<typeof createClientPool>>().toExtend<NodeRedisClient>()
  expectTypeOf<ReturnType<typeof createCluster>>().toExtend<NodeRedisClient>()
  expectTypeOf<ReturnType<typeof createSentinel>>().toExtend<NodeRedisClient>()
  expectTypeOf<Redis>().toExtend<IoRedisClient>()
  expectTypeOf<Cluster>().toExtend<IoRedisClient>()
  expectTypeOf<NodeRedisClient | IoRedisClient>().toEqualTypeOf<RedisClient>()
})

for (const { name, connect } of server ? libraries : []) {
  describe(`the storage contract: Redis through ${name}`, () => {
    const prefix = newPrefix()
    let client: TestClient
    let storage: Storage
    beforeAll(async () => {
      client = await connect(server?.href ?? '')
      storage = redisStorage(client.client, { prefix })
    })
    afterAll(async () => {
      await removeKeys(client, prefix)
      client.close()
    })

    test.for(storageContract)('$name', ({ run }) => run(storage))
  })
}

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
    // The default prefix.
    storages.redis = redisStorage(node)
    storages.ioredis = redisStorage(io, { prefix: newPrefix() })
  })
  afterAll(async () => {
    for (const close of closing) close()
    await cluster.stop()
  })

  describe.for(names)('the storage contract: Redis Cluster through %s', (name) => {
    test.for(storageContract)('$name', ({ run }) => run(storages[name] as Storage))
  })
}
