import type { Storage } from '@latchkey/core'
import type { RedisClient } from '@latchkey/storage-redis'
import { startProxy } from '@latchkey/test-support/proxy'
import type { Proxy } from '@latchkey/test-support/proxy'
import { buildUser, HOUR, NOW } from '@latchkey/test-support/records'
import { redisUrl } from '@latchkey/test-support/servers'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createClient, createClientPool } from 'redis'
import type { RedisClientOptions } from 'redis'
import { describe, expect, test } from 'vitest'
import { createPrefix, createStorage, isRedisReachable, libraries } from './support/clients.ts'

/** Seconds after which a call of these storages fails. */
const TIMEOUT = 1
/** Seconds after the first unanswered call, within which the manual promises a new connection. */
const RECOVERY = TIMEOUT / 2 + 4

interface Silenced {
  readonly proxy: Proxy
  /** A storage whose connections lead through the proxy. */
  readonly remote: Storage
  /** A storage with the same keys and another connection. */
  readonly direct: Storage
  readonly close: () => void
}

/** Calls until a call succeeds. Returns its result, and the seconds that have passed. */
async function callUntilAnswered<T>(
  call: () => Promise<T>,
): Promise<{ readonly result: T; readonly seconds: number }> {
  const began = performance.now()
  for (;;) {
    const [outcome] = await Promise.allSettled([call()])
    const seconds = (performance.now() - began) / 1000
    if (outcome.status === 'fulfilled') return { result: outcome.value, seconds }
    if (seconds > 3 * RECOVERY) throw outcome.reason
  }
}

describe.for(isRedisReachable ? libraries : [])('through $name', ({ connect }) => {
  const setUp = async (timeout: number = TIMEOUT): Promise<Silenced> => {
    const prefix = createPrefix()
    const proxy = await startProxy(redisUrl, 6379)
    const [proxied, own] = [await connect(proxy.url), await connect(redisUrl)]
    return {
      proxy,
      remote: createStorage(proxied.client, { prefix, timeout }),
      direct: createStorage(own.client, { prefix }),
      close() {
        proxied.close()
        own.close()
        proxy.stop()
      },
    }
  }

  test.concurrent('a connection that has died silently is replaced', async () => {
    const { proxy, remote, close } = await setUp()
    const user = buildUser()
    await remote.createUser(user)
    proxy.silence()
    const { result, seconds } = await callUntilAnswered(() => remote.getUser(user.id))
    expect(result).toEqual(user)
    expect(seconds).toBeGreaterThan(TIMEOUT)
    expect(seconds).toBeLessThan(RECOVERY + 1)
    close()
  })

  test.concurrent('reads are answered although their connection has died silently', async () => {
    const { proxy, remote, close } = await setUp(8)
    const user = buildUser()
    await remote.createUser(user)
    proxy.silence()
    const reads = Array.from({ length: 10 }, () => remote.getUser(user.id))
    const write = remote.updateUser(user.id, { name: 'Bob' }).then(
      () => 'answered',
      () => 'rejected',
    )
    expect(await Promise.all(reads)).toEqual(reads.map(() => user))
    expect(await write).toBe('rejected')
    expect(await remote.getUser(user.id)).toEqual(user)
    close()
  })

  test.concurrent('a call whose answer was lost is executed once', async () => {
    const { proxy, remote, direct, close } = await setUp()
    const key = crypto.randomUUID()
    expect(await remote.increment(key, HOUR, NOW)).toMatchObject({ count: 1 })
    proxy.silence('replies')
    const calls = Array.from({ length: 20 }, () => remote.increment(key, HOUR, NOW))
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    const { result } = await callUntilAnswered(() => remote.increment(key, HOUR, NOW))
    // The server has counted the first one and the twenty.
    expect(result.count).toBe(22)
    // Nothing is sent later, either.
    await delay(1500)
    expect(await direct.increment(key, HOUR, NOW)).toMatchObject({ count: 23 })
    close()
  })

  test.concurrent('a slow server keeps its connection', async () => {
    const { proxy, remote, close } = await setUp()
    const user = buildUser()
    await remote.createUser(user)
    proxy.freeze()
    await expect(remote.getUser(user.id)).rejects.toThrow('no answer within 1 seconds')
    const next = remote.getUser(user.id)
    proxy.thaw()
    expect(await next).toEqual(user)
    expect(proxy.countAttempts()).toBe(1)
    close()
  })

  test.concurrent('a server that is silent to new connections too is found again', async () => {
    const { proxy, remote, close } = await setUp()
    const user = buildUser()
    await remote.createUser(user)
    proxy.silence()
    proxy.freeze()
    const call = (): Promise<unknown> => remote.getUser(user.id).catch(() => 'rejected')
    const end = performance.now() + 5000
    while (performance.now() < end) expect(await call()).toBe('rejected')
    // The handshakes of this time are lost.
    proxy.silence()
    proxy.thaw()
    const { result, seconds } = await callUntilAnswered(() => remote.getUser(user.id))
    expect(result).toEqual(user)
    expect(seconds).toBeLessThan(RECOVERY + 1)
    close()
  })
})

const getOptions = (url: string): RedisClientOptions => ({
  url,
  disableOfflineQueue: true,
  pingInterval: 200,
  socket: {
    connectTimeout: 200,
    socketTimeout: 500,
    keepAliveInitialDelay: 500,
    reconnectStrategy: (retries) => Math.random() * Math.min(2 ** retries * 10, 100),
  },
})

/** Clients with the options of the manual, and times that are ten times shorter. */
const documented: readonly {
  readonly name: string
  readonly connect: (url: string) => Promise<{ client: RedisClient; close: () => unknown }>
}[] = [
  {
    name: 'redis',
    async connect(url) {
      const client = createClient(getOptions(url))
      client.on('error', () => {})
      await client.connect()
      return { client, close: () => client.destroy() }
    },
  },
  {
    name: 'a pool of redis',
    async connect(url) {
      const client = createClientPool(getOptions(url))
      client.on('error', () => {})
      await client.connect()
      return { client, close: () => client.destroy() }
    },
  },
  {
    name: 'ioredis',
    async connect(url) {
      const client = new Redis(url, {
        maxRetriesPerRequest: 0,
        connectTimeout: 200,
        socketTimeout: 500,
        keepAlive: 500,
      })
      client.on('error', () => {})
      await once(client, 'ready')
      return { client, close: () => client.disconnect() }
    },
  },
]

test.concurrent.for(isRedisReachable ? documented : [])(
  'the options of the manual replace a connection that has died silently: $name',
  async ({ connect }) => {
    const proxy = await startProxy(redisUrl, 6379)
    const { client, close } = await connect(proxy.url)
    const storage = createStorage(client, { prefix: createPrefix() })
    const user = buildUser()
    await storage.createUser(user)
    proxy.silence()
    const { result, seconds } = await callUntilAnswered(() => storage.getUser(user.id))
    expect(result).toEqual(user)
    // Before the storage itself tries the connection.
    expect(seconds).toBeLessThan(3)
    // A pool replaces its other connections too. After that, an idle connection is kept.
    await delay(1000)
    const connections = proxy.countAttempts()
    await delay(1500)
    expect(proxy.countAttempts()).toBe(connections)
    close()
    proxy.stop()
  },
)
