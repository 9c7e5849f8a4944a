import type { Storage } from '@latchkey/core'
import { getStorageCases } from '@latchkey/testing/storage-contract'
import type { StorageCase } from '@latchkey/testing/storage-contract'
import { redisStorage } from '@latchkey/storage-redis'
import type {
  IoRedisClient,
  NodeRedisClient,
  RedisClient,
  RedisStorage,
  RedisStorageOptions,
} from '@latchkey/storage-redis'
import { isReachable, redisUrl } from '@latchkey/test-support/servers'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe } from 'vitest'

/** A client of one of the libraries, with the further commands of the tests. */
export interface TestClient {
  readonly client: RedisClient
  readonly command: (...args: string[]) => Promise<unknown>
  readonly close: () => unknown
}

/** A library of Redis clients. */
export interface Library {
  readonly name: string
  /**
   * Connects a client.
   *
   * @param queues Whether commands wait in it while it has no connection. Default: false, they reject
   */
  readonly connect: (url: string, queues?: boolean) => Promise<TestClient>
}

/** The libraries that the storage supports. */
export const libraries: readonly Library[] = [
  {
    name: 'redis',
    async connect(url, queues = false) {
      const client = createClient({
        url,
        disableOfflineQueue: !queues,
        socket: { reconnectStrategy: 20 },
      })
      client.on('error', () => {})
      await client.connect()
      return {
        client,
        command: (...args) => client.sendCommand(args),
        close: () => client.destroy(),
      }
    },
  },
  {
    name: 'ioredis',
    async connect(url, queues = false) {
      const client = new Redis(url, {
        lazyConnect: true,
        enableOfflineQueue: queues,
        maxRetriesPerRequest: 0,
        retryStrategy: () => 20,
      })
      client.on('error', () => {})
      await client.connect()
      return {
        client,
        command: (name = '', ...args) => client.call(name, ...args),
        close: () => client.disconnect(),
      }
    },
  },
]

/** A storage in the Redis server, with its client and the prefix of its keys. */
export interface Connected {
  readonly client: TestClient
  readonly storage: Storage
  readonly prefix: string
}

/** Whether the Redis server accepts connections. */
export const isRedisReachable: boolean = await isReachable('Redis', redisUrl)

/** Runs tests through each library, if the Redis server is reachable. `connected` is for use within a test. */
export function onEveryLibrary(
  title: string,
  body: (connected: () => Connected, library: Library) => void,
): void {
  describe.for(isRedisReachable ? libraries : [])(`${title} through $name`, (library) => {
    const prefix = createPrefix()
    let client: TestClient
    let storage: Storage
    beforeAll(async () => {
      client = await library.connect(redisUrl)
      storage = createStorage(client.client, { prefix })
    })
    afterAll(async () => {
      await removeKeys(client, prefix)
      client.close()
    })
    body(() => ({ client, prefix, storage }), library)
  })
}

/** Creates a storage that prints no warning: the servers of the tests have no append-only file. */
export function createStorage<Fields = unknown>(
  client: RedisClient,
  options: RedisStorageOptions<Fields>,
): RedisStorage<Fields> {
  return redisStorage(client, { logger: { warn: () => {} }, ...options })
}

const unused = (): Promise<never> => Promise.reject(new Error('expected no call'))

/** The contract of what a storage in Redis can do. */
export const storageCases: readonly StorageCase[] = getStorageCases(
  redisStorage({ evalSha: unused, eval: unused }),
)

/** Wraps a client, so that each script that it sends is observed. */
export function observeScripts(client: RedisClient, observe: Observe): RedisClient {
  return 'evalSha' in client ? observeNodeRedis(client, observe) : observeIoRedis(client, observe)
}

type Observe = (script: () => Promise<unknown>) => Promise<unknown>

function observeNodeRedis(client: NodeRedisClient, observe: Observe): NodeRedisClient {
  return {
    evalSha: (sha1, call) => observe(() => client.evalSha(sha1, call)),
    eval: (script, call) => observe(() => client.eval(script, call)),
  }
}

function observeIoRedis(client: IoRedisClient, observe: Observe): IoRedisClient {
  return {
    evalsha: (sha1, count, ...rest) => observe(() => client.evalsha(sha1, count, ...rest)),
    eval: (script, count, ...rest) => observe(() => client.eval(script, count, ...rest)),
  }
}

/** Creates a unique prefix with a hash tag, like the default prefix. */
export function createPrefix(): string {
  return `{latchkey-test-${crypto.randomUUID()}}:`
}

/** Lists all keys of a storage: with its prefix, and without the braces of the prefix. */
export async function listKeys(client: TestClient, prefix: string): Promise<string[]> {
  const prefixes = new Set([prefix, prefix.replaceAll(/[{}]/g, '')])
  return (await Promise.all([...prefixes].map((each) => scan(client, `${each}*`)))).flat()
}

async function scan({ command }: TestClient, pattern: string): Promise<string[]> {
  const keys = new Set<string>()
  let cursor = '0'
  do {
    const reply = await command('SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000')
    const [next, found] = reply as [string, string[]]
    for (const key of found) keys.add(key)
    cursor = next
  } while (cursor !== '0')
  return [...keys]
}

async function removeKeys(client: TestClient, prefix: string): Promise<void> {
  const keys = await listKeys(client, prefix)
  if (keys.length > 0) await client.command('UNLINK', ...keys)
}
