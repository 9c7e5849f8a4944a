import { ConfigurationError } from '@latchkey/core'
import type { SqlStorage } from '@latchkey/storage-sql'

/** A storage that is open, with its tables there. */
export interface Database {
  readonly storage: SqlStorage
  /** What an operator may read of it: no password. */
  readonly description: string
  readonly close: () => Promise<void>
}

/**
 * Opens the database of `AUTH_DATABASE`: a `postgres:` or `mysql:` address, or the path of an SQLite
 * file. What the tables lack is added.
 *
 * @throws ConfigurationError where it cannot be opened
 */
export async function openDatabase(setting: string): Promise<Database> {
  try {
    const database = await open(setting)
    await database.storage.migrate()
    return database
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    throw new ConfigurationError('AUTH_DATABASE', `cannot be opened (${code ?? message})`)
  }
}

function open(setting: string): Promise<Database> {
  const [, scheme = 'file'] = /^(\w+):\/\//.exec(setting) ?? []
  const opener = openers[scheme]
  if (opener) return opener(setting)
  throw new Error(`${scheme}: is none of ${Object.keys(openers).join(', ')}`)
}

/** One driver is loaded, and no other. */
const openers: Readonly<Record<string, (setting: string) => Promise<Database>>> = {
  file: openSqlite,
  postgres: openPostgres,
  postgresql: openPostgres,
  mysql: openMysql,
  mariadb: openMysql,
}

async function openSqlite(path: string): Promise<Database> {
  const { nodeSqliteStorage } = await import('@latchkey/storage-sql/node-sqlite')
  const storage = nodeSqliteStorage(path)
  return { storage, description: `SQLite in ${path}`, close: () => storage.close() }
}

async function openPostgres(address: string): Promise<Database> {
  const { default: pg } = await import('pg')
  const { pgStorage } = await import('@latchkey/storage-sql/pg')
  const pool = new pg.Pool({ connectionString: address, connectionTimeoutMillis: 5000 })
  // A connection that breaks while nobody uses it is replaced; unheard, it would end the process.
  pool.on('error', (error) => console.error(`latchkey: the database: ${error.message}`))
  const close = (): Promise<void> => pool.end()
  return { storage: pgStorage(pool), description: `PostgreSQL at ${hostOf(address)}`, close }
}

async function openMysql(address: string): Promise<Database> {
  const { createPool } = await import('mysql2/promise')
  const { mysql2Storage } = await import('@latchkey/storage-sql/mysql2')
  const uri = address.replace(/^mariadb:/, 'mysql:')
  const pool = createPool({ uri, connectTimeout: 5000 })
  const close = (): Promise<void> => pool.end()
  return { storage: mysql2Storage(pool), description: `MySQL at ${hostOf(address)}`, close }
}

function hostOf(address: string): string {
  return new URL(address).host
}
