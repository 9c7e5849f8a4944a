import type { Storage } from '@latchkey/core'
import { redisStorage } from '@latchkey/storage-redis'
import type { RedisClient } from '@latchkey/storage-redis'
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
interface Library {
  readonly name: string
  /** Connects a client that rejects commands immediately while it has no connection. */
  readonly connect: (url: string) => Promise<TestClient>
}

/** The libraries that the storage supports. */
const libraries: readonly Library[] = [
  {
    name: 'redis',
    async connect(url) {
      const client = createClient({
        url,
        disableOfflineQueue: true,
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
    async connect(url) {
      const client = new Redis(url, {
        lazyConnect: true,
        enableOfflineQueue: false,
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
      storage = redisStorage(client.client, { prefix })
    })
    afterAll(async () => {
      await removeKeys(client, prefix)
      client.close()
    })
    body(() => ({ client, prefix, storage }), library)
  })
}

/** Creates a unique prefix with a hash tag, like the default prefix. */
export function createPrefix(): string {
  return `{latchkey-test-${crypto.randomUUID()}}:`
}

/** Lists all keys with a prefix. */
export async function listKeys({ command }: TestClient, prefix: string): Promise<string[]> {
  const keys: string[] = []
  let cursor = '0'
  do {
    const reply = await command('SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', '1000')
    const [next, found] = reply as [string, string[]]
    keys.push(...found)
    cursor = next
  } while (cursor !== '0')
  return [...new Set(keys)]
}

async function removeKeys(client: TestClient, prefix: string): Promise<void> {
  const keys = await listKeys(client, prefix)
  if (keys.length > 0) await client.command('UNLINK', ...keys)
}
