import { setTimeout as delay } from 'node:timers/promises'
import type { RedisStorage } from '@latchkey/storage-redis'
import { startProxy } from '@latchkey/test-support/proxy'
import type { Proxy } from '@latchkey/test-support/proxy'
import { buildUser, HOUR, NOW } from '@latchkey/test-support/records'
import { Redis } from 'ioredis'
import { createSentinel } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrefix, createStorage, storageCases } from './support/clients.ts'
import type { ClusterClient, NodeMap } from './support/cluster-clients.ts'
import { hasRedisServer, startSentinel } from './support/servers.ts'
import type { RedisSentinel } from './support/servers.ts'

interface Library {
  readonly name: string
  /**
   * Connects through a Sentinel.
   *
   * @param nodes Where servers are reached, by the IP address and port that the Sentinel knows
   */
  readonly connect: (port: number, nodes: NodeMap) => Promise<ClusterClient>
}

const libraries: readonly Library[] = [
  {
    name: 'redis',
    async connect(port, nodes) {
      const client = createSentinel({
        name: 'latchkey',
        sentinelRootNodes: [{ host: '127.0.0.1', port }],
        maxCommandRediscovers: 0,
        nodeAddressMap: { ...nodes },
        nodeClientOptions: { disableOfflineQueue: true },
      })
      client.on('error', () => {})
      await client.connect()
      return { client, close: () => client.destroy() }
    },
  },
  {
    name: 'ioredis',
    async connect(port, nodes) {
      const client = new Redis({
        name: 'latchkey',
        sentinels: [{ host: '127.0.0.1', port }],
        natMap: { ...nodes },
        lazyConnect: true,
        maxRetriesPerRequest: 0,
      })
      client.on('error', () => {})
      await client.connect()
      return { client, close: () => client.disconnect() }
    },
  },
]

describe.for(hasRedisServer ? libraries : [])('Sentinel through $name', ({ connect }) => {
  let sentinel: RedisSentinel
  let proxy: Proxy
  let storage: RedisStorage
  let close: () => unknown
  beforeAll(async () => {
    sentinel = await startSentinel()
    const { primary } = sentinel
    proxy = await startProxy(primary.url, 6379)
    const { hostname: host, port } = new URL(proxy.url)
    const nodes = { [`127.0.0.1:${primary.port}`]: { host, port: Number(port) } }
    const connected = await connect(sentinel.port, nodes)
    close = connected.close
    storage = createStorage(connected.client, { prefix: createPrefix() })
  })
  afterAll(async () => {
    close()
    proxy.stop()
    await sentinel.stop()
  })

  test.for(storageCases)('the storage contract: $name', ({ run }) => run(storage))

  test('reads are answered although their connection has died silently', async () => {
    const user = buildUser()
    await storage.createUser(user)
    proxy.silence()
    expect(await storage.getUser(user.id)).toEqual(user)
    expect(await storage.increment('after', HOUR, NOW)).toMatchObject({ count: 1 })
  })

  test('calls succeed through a failover', async () => {
    const user = buildUser()
    await storage.createUser(user)
    expect(await storage.increment('before', HOUR, NOW)).toMatchObject({ count: 1 })
    // Replication is asynchronous.
    await delay(500)
    await sentinel.primary.kill()
    await delay(100)
    const calls = Array.from({ length: 50 }, async () => storage.increment('during', HOUR, NOW))
    const counts = (await Promise.all(calls)).map(({ count }) => count)
    expect(new Set(counts).size).toBe(50)
    expect(await storage.getUser(user.id)).toEqual(user)
    expect(await storage.increment('before', HOUR, NOW)).toMatchObject({ count: 2 })
    expect(sentinel.replica.run('ROLE')).toContain('master')
  })
})
