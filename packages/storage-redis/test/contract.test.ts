import type { Storage } from '@latchkey/core'
import { contractFields, userFieldsContract } from '@latchkey/testing/user-fields-contract'
import type {
  IoRedisClient,
  NodeRedisClient,
  RedisClient,
  RedisStorage,
} from '@latchkey/storage-redis'
import { Cluster as IoCluster } from 'ioredis'
import type { Cluster, Redis } from 'ioredis'
import { createCluster } from 'redis'
import type { createClient, createClientPool, createSentinel } from 'redis'
import { afterAll, beforeAll, describe, expectTypeOf, test } from 'vitest'
import {
  checkClients,
  checkDevices,
  checkGrants,
  checkMostGrants,
  clientsTitle,
  devicesTitle,
  grantsTitle,
  mostGrantsTitle,
} from '../../authorization-server/test/support/each-storage.ts'
import { checkImport, importTitle } from '../../passwords/test/support/each-storage.ts'
import {
  checkReseal,
  checkSecondFactor,
  resealTitle,
  title,
} from '../../second-factor/test/support/each-storage.ts'
import { createPrefix, createStorage, onEveryLibrary, storageCases } from './support/clients.ts'
import { hasRedisServer, startCluster } from './support/servers.ts'

const cluster = hasRedisServer ? await startCluster(3) : undefined

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
  test.for(storageCases)('$name', ({ run }) => run(connected().storage))
})

onEveryLibrary('grants: Redis', (connected) => {
  test(clientsTitle, () => checkClients(connected().storage))
  test(grantsTitle, () => checkGrants(connected().storage))
  test(mostGrantsTitle, () => checkMostGrants(connected().storage))
  test(devicesTitle, () => checkDevices(connected().storage))
})

onEveryLibrary('second factors: Redis', (connected) => {
  test(title, () => checkSecondFactor(connected().storage))

  test(importTitle, () => checkImport(connected().storage))

  test(resealTitle, () => {
    const { client, prefix } = connected()
    const storage = createStorage(client.client, { prefix: `${prefix}reseal:` })
    return checkReseal(storage, () => storage.listFactorUsers())
  })
})

onEveryLibrary('the contract of user fields: Redis', (connected) => {
  test.for(userFieldsContract)('$name', ({ run }) => {
    const { client, prefix } = connected()
    return run(createStorage(client.client, { prefix, fields: contractFields }))
  })
})

if (cluster) {
  const names = ['redis', 'ioredis'] as const
  const storages: Partial<Record<(typeof names)[number], RedisStorage>> = {}
  const closing: (() => unknown)[] = []
  beforeAll(async () => {
    const { hostname: host, port } = new URL(cluster.url)
    const options = { lazyConnect: true, retryDelayOnFailover: 0 }
    const io = new IoCluster([{ host, port: Number(port) }], options)
    const node = createCluster({ rootNodes: [{ url: cluster.url }] })
    await Promise.all([io.connect(), node.connect()])
    closing.push(
      () => io.disconnect(),
      () => node.destroy(),
    )
    // With the default prefix.
    storages.redis = createStorage(node, {})
    storages.ioredis = createStorage(io, { prefix: createPrefix() })
  })
  afterAll(async () => {
    for (const close of closing) close()
    await cluster.stop()
  })

  describe.for(names)('the storage contract: Redis Cluster through %s', (name) => {
    test.for(storageCases)('$name', ({ run }) => run(storages[name] as Storage))
    test(title, () => checkSecondFactor(storages[name] as Storage))
    test(importTitle, () => checkImport(storages[name] as Storage))
    test(resealTitle, () => {
      const storage = storages[name] as RedisStorage
      return checkReseal(storage, () => storage.listFactorUsers())
    })
  })
}
