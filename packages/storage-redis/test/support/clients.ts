import type { RedisClient } from '@latchkey/storage-redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'

/** A client of one of the libraries, with what the tests need besides. */
export interface TestClient {
  readonly client: RedisClient
  readonly command: (...args: string[]) => Promise<unknown>
  readonly close: () => unknown
}

export interface Library {
  readonly name: string
  /** Connects a client that waits for nothing: without a connection, its commands are refused. */
  readonly connect: (url: string) => Promise<TestClient>
}

export const libraries: readonly Library[] = [
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

/** No two runs share a key. The braces are those of the default. */
export function newPrefix(): string {
  return `{latchkey-test-${crypto.randomUUID()}}:`
}

/** All keys behind a prefix. Tests may SCAN; the storage never does. */
export async function keysOf({ command }: TestClient, prefix: string): Promise<string[]> {
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

export async function removeKeys(client: TestClient, prefix: string): Promise<void> {
  const keys = await keysOf(client, prefix)
  if (keys.length > 0) await client.command('UNLINK', ...keys)
}
