import type { Storage } from '@latchkey/core'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
import { redisStorage } from '@latchkey/storage-redis'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { createClient } from 'redis'

/** Connections of one process. */
const POOL = 5

/** SQL keeps factors in a separate table, which is an option. */
const options = { factors: sqlFactors() }

/** Opens the storage of a process as its README says. */
export async function openStorage(driver: string, url: string): Promise<Storage> {
  const open = drivers[driver]
  if (!open) throw new Error(`expected one of ${Object.keys(drivers).join(', ')}, found ${driver}`)
  return open(url)
}

const drivers: Readonly<Record<string, (url: string) => Promise<Storage>>> = {
  async pg(url) {
    const pool = new Pool({ connectionString: url, max: POOL, connectionTimeoutMillis: 5000 })
    pool.on('error', () => undefined)
    return migrated(pgStorage(pool, options))
  },
  postgres: async (url) =>
    migrated(postgresJsStorage(postgres(url, { max: POOL, onnotice: () => undefined }), options)),
  mysql2: async (url) =>
    migrated(
      mysql2Storage(createPool({ uri: url, connectionLimit: POOL, connectTimeout: 5000 }), options),
    ),
  async redis(url) {
    const client = createClient({
      url,
      disableOfflineQueue: true,
      socket: { connectTimeout: 5000, reconnectStrategy: (tries) => Math.min(tries * 50, 500) },
    })
    client.on('error', () => undefined)
    await client.connect()
    return redisStorage(client)
  },
}

async function migrated<T extends Storage & { migrate: () => Promise<unknown> }>(
  storage: T,
): Promise<T> {
  await storage.migrate()
  return storage
}
