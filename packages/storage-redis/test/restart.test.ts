import { setTimeout as delay } from 'node:timers/promises'
import { startProxy } from '@latchkey/test-support/proxy'
import { buildUser, HOUR, NOW } from '@latchkey/test-support/records'
import type { RedisStorage } from '@latchkey/storage-redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrefix, createStorage, libraries, observeScripts } from './support/clients.ts'
import type { TestClient } from './support/clients.ts'
import { hasRedisServer, startRedis } from './support/servers.ts'
import type { RedisServer } from './support/servers.ts'

/** What a worker's calls have come to: one counts, the other reads. */
interface Work {
  readonly key: string
  counted: number
  failedCounts: number
  failedReads: number
}

/** Counts and reads without a pause until `end`, in milliseconds since 1970. */
async function work(storage: RedisStorage, userId: string, end: number): Promise<Work> {
  const done = { key: crypto.randomUUID(), counted: 0, failedCounts: 0, failedReads: 0 }
  while (Date.now() < end) {
    await storage.increment(done.key, HOUR, NOW).then(
      () => done.counted++,
      () => done.failedCounts++,
    )
    await storage.getUser(userId).then(
      (user) => expect(user?.id).toBe(userId),
      () => done.failedReads++,
    )
  }
  return done
}

describe.for(hasRedisServer ? libraries : [])('through $name', ({ connect }) => {
  let server: RedisServer
  const clients: TestClient[] = []
  beforeAll(async () => {
    server = await startRedis('--appendonly', 'yes', '--appendfsync', 'always')
  })
  afterAll(async () => {
    for (const client of clients) client.close()
    await server.stop()
  })

  const open = async (
    url: string,
    timeout: number = 8,
    queues: boolean = false,
  ): Promise<RedisStorage> => {
    const client = await connect(url, queues)
    clients.push(client)
    return createStorage(client.client, { prefix: createPrefix(), timeout })
  }

  test.for([
    { title: 'rejects', queues: false },
    { title: 'queues', queues: true },
  ])(
    'a server killed under load and started again loses only writes that it had received: the client $title commands',
    async ({ queues }) => {
      const storage = await open(server.url, 8, queues)
      const user = buildUser()
      await storage.createUser(user)
      const end = Date.now() + 3000
      const workers = Array.from({ length: 20 }, () => work(storage, user.id, end))
      await delay(300)
      await server.kill()
      await delay(1000)
      await server.start()
      for (const { key, counted, failedCounts, failedReads } of await Promise.all(workers)) {
        expect(failedReads).toBe(0)
        // At most the one that was on its way.
        expect(failedCounts).toBeLessThanOrEqual(1)
        const { count } = await storage.increment(key, HOUR, NOW)
        expect(count - 1).toBeGreaterThanOrEqual(counted)
        expect(count - 1).toBeLessThanOrEqual(counted + failedCounts)
      }
    },
  )

  test('a call whose connection is lost after it was sent is repeated only if it reads', async () => {
    const proxy = await startProxy(server.url, 6379)
    const storage = await open(proxy.url)
    const user = buildUser()
    await storage.createUser(user)
    expect(await storage.increment('a', HOUR, NOW)).toMatchObject({ count: 1 })
    proxy.loseAnswers()
    const [began, read] = [performance.now(), storage.getUser(user.id)]
    await expect(storage.increment('a', HOUR, NOW)).rejects.toThrow(/closed|max retries/i)
    expect(performance.now() - began).toBeLessThan(1000)
    proxy.reconnect()
    expect(await read).toEqual(user)
    expect(await storage.increment('a', HOUR, NOW)).toMatchObject({ count: 3 })
    proxy.stop()
  })

  test('calls wait for a server that is not there, and fail after their time', async () => {
    const storage = await open(server.url)
    const impatient = await open(server.url, 0.3)
    const user = buildUser()
    await storage.createUser(user)
    await server.kill()
    // Clients notice it a moment later.
    await delay(100)
    const began = performance.now()
    const calls = [storage.getUser(user.id), storage.updateUser(user.id, { name: 'Bob' })]
    await expect(impatient.getUser(user.id)).rejects.toThrow('no answer within 0.3 seconds')
    expect(performance.now() - began).toBeLessThan(1000)
    await server.start()
    await Promise.all(calls)
    expect(await storage.getUser(user.id)).toEqual({ ...user, name: 'Bob' })
  })

  test('a server that loads its data is waited for', async () => {
    const slow = await startRedis(
      '--loading-process-events-interval-bytes',
      '1024',
      '--enable-debug-command',
      'yes',
    )
    const storage = await open(slow.url)
    const user = buildUser()
    await storage.createUser(user)
    slow.run('DEBUG', 'POPULATE', '1000', 'filler', '100')
    slow.run('SAVE')
    await slow.kill()
    await slow.start('--key-load-delay', '1000')
    expect(slow.run('GET', 'x')).toContain('LOADING')
    // The client notices that its connection has closed: what it sent before is not sent again.
    await delay(100)
    await storage.updateUser(user.id, { name: 'Bob' })
    expect(await storage.getUser(user.id)).toEqual({ ...user, name: 'Bob' })
    await slow.stop()
  })

  test('writes wait while the server is a replica', async () => {
    const storage = await open(server.url)
    const user = buildUser()
    await storage.createUser(user)
    server.run('REPLICAOF', '127.0.0.1', '1')
    const call = storage.updateUser(user.id, { name: 'Bob' })
    await delay(500)
    server.run('REPLICAOF', 'NO', 'ONE')
    expect(await call).toEqual({ ...user, name: 'Bob' })
  })

  test('after a failover by name, writes go to the new primary', async () => {
    const primary = await startRedis('--repl-diskless-sync-delay', '0')
    const replica = await startRedis('--replicaof', '127.0.0.1', `${primary.port}`)
    const proxy = await startProxy(primary.url, 6379)
    const storage = await open(proxy.url)
    const user = buildUser()
    await storage.createUser(user)
    await expect.poll(() => replica.run('DBSIZE'), { timeout: 10_000 }).toContain('2')
    replica.run('REPLICAOF', 'NO', 'ONE')
    primary.run('REPLICAOF', '127.0.0.1', `${replica.port}`)
    proxy.lead(replica.url)
    expect(await storage.updateUser(user.id, { name: 'Bob' })).toEqual({ ...user, name: 'Bob' })
    expect(proxy.countAttempts()).toBe(2)
    proxy.stop()
    await Promise.all([primary.stop(), replica.stop()])
  })

  test('one call at a time tries whether the server is back', async () => {
    const client = await connect(server.url)
    clients.push(client)
    const attempts: number[] = []
    let running = 0
    const observed = observeScripts(client.client, async (script) => {
      attempts.push(++running)
      return script().finally(() => running--)
    })
    const storage = createStorage(observed, { prefix: createPrefix() })
    await storage.increment('a', HOUR, NOW)
    await server.kill()
    await delay(100)
    const calls = [storage.increment('a', HOUR, NOW)]
    await delay(100)
    attempts.length = 0
    for (let i = 0; i < 200; i++) calls.push(storage.increment('a', HOUR, NOW))
    await delay(1000)
    expect(attempts.length).toBeGreaterThan(3)
    expect(attempts.length).toBeLessThan(40)
    expect(Math.max(...attempts)).toBe(1)
    await server.start()
    await Promise.all(calls)
    expect((await storage.increment('a', HOUR, NOW)).count).toBe(203)
  })
})
