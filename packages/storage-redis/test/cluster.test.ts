import { setTimeout as delay } from 'node:timers/promises'
import { ConfigurationError } from '@latchkey/core'
import { redisStorage } from '@latchkey/storage-redis'
import type { RedisClient, RedisStorage } from '@latchkey/storage-redis'
import { startProxy } from '@latchkey/test-support/proxy'
import { buildAccount, buildSession, buildUser, HOUR, NOW } from '@latchkey/test-support/records'
import { Cluster, Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrefix, createStorage } from './support/clients.ts'
import { clusterLibraries } from './support/cluster-clients.ts'
import type { ClusterClient } from './support/cluster-clients.ts'
import { hasRedisServer, startCluster } from './support/servers.ts'
import type { RedisCluster, RedisServer } from './support/servers.ts'

let cluster: RedisCluster
beforeAll(async () => {
  if (hasRedisServer) cluster = await startCluster(3, '--appendonly', 'yes')
})
afterAll(() => cluster?.stop())

/** Returns the node that has a key's slot, and the slot. */
function findNode(key: string): { readonly node: RedisServer; readonly slot: string } {
  const slot = cluster.nodes[0]?.run('CLUSTER', 'KEYSLOT', key).trim() ?? ''
  const index = Math.floor((Number(slot) * cluster.nodes.length) / 16_384)
  return { node: cluster.nodes[index] as RedisServer, slot }
}

/** Asks for a user until the storage answers. */
async function findUser(storage: RedisStorage, id: string): Promise<unknown> {
  try {
    return await storage.getUser(id)
  } catch {
    return findUser(storage, id)
  }
}

describe.for(hasRedisServer ? clusterLibraries : [])('through $name', ({ connect }) => {
  const clients: ClusterClient[] = []
  afterAll(() => {
    for (const { close } of clients) close()
  })

  const open = async (): Promise<{
    storage: RedisStorage
    prefix: string
    client: RedisClient
  }> => {
    const connected = await connect(cluster.url)
    clients.push(connected)
    const prefix = createPrefix()
    const { client } = connected
    return { storage: createStorage(client, { prefix }), prefix, client }
  }

  test('what belongs to no user is on every node, users on one', async () => {
    const { storage, prefix } = await open()
    for (let i = 0; i < 30; i++) {
      const user = buildUser()
      await storage.createUser(user, buildAccount(), buildSession())
      await storage.increment(user.id, HOUR, NOW)
      const token = { identifier: user.id, token: 'a', expires: NOW + HOUR }
      await storage.createVerificationToken(token)
      await storage.createRevocation({ key: user.id, revokedAt: NOW, expires: NOW + HOUR })
    }
    const count = (node: RedisServer, pattern: string): number =>
      node.run('--scan', '--pattern', pattern).split('\n').filter(Boolean).length
    const ownPrefix = prefix.replaceAll(/[{}]/g, '')
    for (const kind of ['count', 'token', 'revocation']) {
      const counts = cluster.nodes.map((node) => count(node, `${ownPrefix}${kind}:*`))
      expect(Math.min(...counts), kind).toBeGreaterThan(0)
    }
    const users = cluster.nodes.map((node) => count(node, `${prefix}*`))
    expect(users.filter((found) => found > 0)).toHaveLength(1)
  })

  test('calls succeed during SCRIPT FLUSH', async () => {
    const { storage } = await open()
    const user = buildUser()
    await storage.createUser(user)
    const calls = Array.from({ length: 300 }, async (_, i) => {
      await delay(i * 2)
      if (i % 10 === 0) for (const node of cluster.nodes) node.run('SCRIPT', 'FLUSH')
      await storage.increment(`${i % 3}`, HOUR, NOW)
      expect(await storage.getUser(user.id)).toEqual(user)
    })
    await Promise.all(calls)
    for (const key of ['0', '1', '2']) {
      expect((await storage.increment(key, HOUR, NOW)).count).toBe(101)
    }
  })

  test('a node killed under load and started again loses only writes that it had received', async () => {
    const { storage, prefix } = await open()
    const { node } = findNode(prefix)
    const user = buildUser()
    await storage.createUser(user)
    const end = Date.now() + 2500
    const count = async (i: number): Promise<{ counted: number; failed: number }> => {
      const done = { counted: 0, failed: 0 }
      while (Date.now() < end) {
        await storage.increment(`${i}`, HOUR, NOW).then(
          () => done.counted++,
          () => done.failed++,
        )
        expect(await storage.getUser(user.id)).toEqual(user)
      }
      return done
    }
    const workers = Array.from({ length: 20 }, (_, i) => count(i))
    await delay(300)
    await node.kill()
    await delay(800)
    await node.start()
    for (const [i, { counted, failed }] of (await Promise.all(workers)).entries()) {
      expect(failed).toBeLessThanOrEqual(1)
      const { count: stored } = await storage.increment(`${i}`, HOUR, NOW)
      expect(stored - 1).toBeGreaterThanOrEqual(counted)
      expect(stored - 1).toBeLessThanOrEqual(counted + failed)
    }
  })

  test('calls wait while the slot of the users moves to another node', async () => {
    const { storage, prefix } = await open()
    const user = buildUser()
    await storage.createUser(user, buildAccount(), buildSession())
    const { node, slot } = findNode(prefix)
    const target = cluster.nodes.find((other) => other !== node) as RedisServer
    const [from, to] = [node, target].map((each) => each.run('CLUSTER', 'MYID').trim()) as [
      string,
      string,
    ]
    target.run('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from)
    node.run('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to)
    const call = storage.updateUser(user.id, { name: 'Bob' })
    await delay(300)
    const keys = node.run('CLUSTER', 'GETKEYSINSLOT', slot, '100').trim().split('\n')
    const migrate = ['MIGRATE', '127.0.0.1', `${target.port}`, '', '0', '1000', 'KEYS', ...keys]
    node.run(...migrate)
    await delay(300)
    for (const each of [target, node, ...cluster.nodes])
      each.run('CLUSTER', 'SETSLOT', slot, 'NODE', to)
    expect(await call).toEqual({ ...user, name: 'Bob' })
    expect(await storage.listSessions(user.id, NOW)).toHaveLength(1)
  })

  test('calls wait while no node has their slot', async () => {
    const { storage, prefix } = await open()
    const ownPrefix = prefix.replaceAll(/[{}]/g, '')
    const { node, slot } = findNode(`${ownPrefix}count:"a key"`)
    node.run('CLUSTER', 'DELSLOTS', slot)
    const call = storage.increment('a key', HOUR, NOW)
    await delay(500)
    node.run('CLUSTER', 'ADDSLOTS', slot)
    expect(await call).toMatchObject({ count: 1 })
  })

  test('a node whose connection has died silently is found again, and the others answer meanwhile', async () => {
    const proxies = await Promise.all(cluster.nodes.map((node) => startProxy(node.url, 6379)))
    const toAddress = (url: string): { host: string; port: number } => {
      const { hostname, port } = new URL(url)
      return { host: hostname, port: Number(port) }
    }
    const addresses = cluster.nodes.map((node, i) => [
      `127.0.0.1:${node.port}`,
      toAddress(proxies[i]?.url ?? ''),
    ])
    const connected = await connect(proxies[0]?.url ?? '', Object.fromEntries(addresses))
    const prefix = createPrefix()
    const storage = createStorage(connected.client, { prefix, timeout: 1 })
    const user = buildUser()
    await storage.createUser(user)
    const isElsewhere = (key: string): boolean =>
      findNode(`${prefix.replaceAll(/[{}]/g, '')}count:"${key}"`).node !== findNode(prefix).node
    const key = Array.from({ length: 100 }, (_, i) => `${i}`).find(isElsewhere) ?? ''
    await storage.increment(key, HOUR, NOW)
    proxies[cluster.nodes.indexOf(findNode(prefix).node)]?.silence()
    const began = performance.now()
    const searching = findUser(storage, user.id)
    const isFound = searching.then(() => true)
    let slowest = 0
    while (!(await Promise.race([isFound, delay(20, false)]))) {
      const start = performance.now()
      await storage.increment(key, HOUR, NOW)
      slowest = Math.max(slowest, performance.now() - start)
    }
    expect(await searching).toEqual(user)
    expect(performance.now() - began).toBeLessThan(6000)
    expect(slowest).toBeLessThan(500)
    connected.close()
    for (const proxy of proxies) proxy.stop()
  })

  test('a prefix without a part in braces is refused', async () => {
    const { client } = await open()
    expect(() => redisStorage(client, { prefix: 'a{b}c:' })).not.toThrow()
    for (const prefix of ['latchkey:', '{}:', '{}{a}:', '{latchkey', 'latchkey}:', '}{:']) {
      const create = (): unknown => redisStorage(client, { prefix })
      expect(create, prefix).toThrow(ConfigurationError)
      expect(create, prefix).toThrow('prefix: must have a part in braces on a Redis Cluster')
    }
  })
})

if (hasRedisServer) {
  test('NOSCRIPT is recognised in an error about redirections', async () => {
    const { port } = cluster.nodes[0] as RedisServer
    const options = { retryDelayOnFailover: 0, maxRedirections: 0 }
    const io = new Cluster([{ host: '127.0.0.1', port }], options)
    const unknown = io.evalsha('0'.repeat(40), 1, 'a')
    await expect(unknown).rejects.toThrow(
      'Too many Cluster redirections. Last error: ReplyError: NOS',
    )
    const storage = createStorage(io, { prefix: createPrefix() })
    for (const node of cluster.nodes) node.run('SCRIPT', 'FLUSH')
    expect(await storage.increment('a', HOUR, NOW)).toMatchObject({ count: 1 })
    io.disconnect()
  })

  test('a prefix without braces is not refused on one server, or if keyPrefix has them', async () => {
    const { url, port } = cluster.nodes[0] as RedisServer
    const io = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0 })
    expect(() => redisStorage(io, { prefix: 'latchkey:' })).not.toThrow()
    expect(() => redisStorage(createClient({ url }), { prefix: 'latchkey:' })).not.toThrow()
    const options = { lazyConnect: true, retryDelayOnFailover: 0, keyPrefix: '{service}:' }
    const ioCluster = new Cluster([{ host: '127.0.0.1', port }], options)
    expect(() => redisStorage(ioCluster, { prefix: 'latchkey:' })).not.toThrow()
  })
}
