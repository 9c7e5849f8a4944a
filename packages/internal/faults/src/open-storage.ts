import type { Storage } from '@latchkey/core'
import type { SqlStorage } from '@latchkey/storage-sql'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'

/** Connections of one process. */
const POOL = 5

/** SQL keeps factors and grants in separate tables, which are options. */
const options = { factors: sqlFactors(), grants: sqlGrants() }

/** An open storage, with its connections. */
type Opened = Storage & { readonly close: () => unknown }

/** Opens the storage of a process as its README says. */
export async function openStorage(driver: string, url: string): Promise<Opened> {
  const open = drivers[driver]
  if (!open) throw new Error(`expected one of ${Object.keys(drivers).join(', ')}, found ${driver}`)
  return open(url)
}

/** Each process loads one driver: it starts in half of the time. */
const drivers: Readonly<Record<string, (url: string) => Promise<Opened>>> = {
  async sqlite(path) {
    const { nodeSqliteStorage } = await import('@latchkey/storage-sql/node-sqlite')
    return migrated(nodeSqliteStorage(path, options))
  },
  async pg(url) {
    const { Pool } = await import('pg')
    const { pgStorage } = await import('@latchkey/storage-sql/pg')
    const pool = new Pool({ connectionString: url, max: POOL, connectionTimeoutMillis: 5000 })
    pool.on('error', () => undefined)
    return migrated(pgStorage(pool, options), () => pool.end())
  },
  async postgres(url) {
    const { default: postgres } = await import('postgres')
    const { postgresJsStorage } = await import('@latchkey/storage-sql/postgres-js')
    const client = postgres(url, { max: POOL, onnotice: () => undefined })
    return migrated(postgresJsStorage(client, options), () => client.end())
  },
  async mysql2(url) {
    const { createPool } = await import('mysql2/promise')
    const { mysql2Storage } = await import('@latchkey/storage-sql/mysql2')
    const pool = createPool({ uri: url, connectionLimit: POOL, connectTimeout: 5000 })
    return migrated(mysql2Storage(pool, options), () => pool.end())
  },
  async redis(url) {
    const { createClient } = await import('redis')
    const { redisStorage } = await import('@latchkey/storage-redis')
    const client = createClient({
      url,
      disableOfflineQueue: true,
      socket: { connectTimeout: 5000, reconnectStrategy: (tries) => Math.min(tries * 50, 500) },
    })
    client.on('error', () => undefined)
    await client.connect()
    return { ...redisStorage(client), close: () => client.destroy() }
  },
}

async function migrated(storage: SqlStorage, close = () => storage.close()): Promise<Opened> {
  await storage.migrate()
  return { ...storage, close }
}
