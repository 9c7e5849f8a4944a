import { ConfigurationError } from '@latchkey/core'
import type { SqlStorage } from '@latchkey/storage-sql'

/** An open storage, with its tables created. */
export interface Database {
  readonly storage: SqlStorage
  /** The kind and the place of the database, without the password. */
  readonly description: string
  readonly close: () => Promise<void>
}

/**
 * Opens the database of `AUTH_DATABASE`, and creates or migrates its tables.
 *
 * @param setting A `postgres:` or `mysql:` URL, or the path of an SQLite file
 *
 * @throws ConfigurationError if it cannot be opened
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
  const schemes = Object.keys(openers).join(', ')
  throw new Error(`expected the path of a file, or a URL with one of ${schemes}; got ${scheme}:`)
}

/** Each imports its own driver, so that the others are not loaded. */
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

async function openPostgres(url: string): Promise<Database> {
  const { default: pg } = await import('pg')
  const { pgStorage } = await import('@latchkey/storage-sql/pg')
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5000 })
  // The pool replaces an idle connection that breaks. Without a listener the event ends the process.
  pool.on('error', (error) => console.error(`latchkey: the database: ${error.message}`))
  const close = (): Promise<void> => pool.end()
  return { storage: pgStorage(pool), description: `PostgreSQL at ${getHost(url)}`, close }
}

async function openMysql(url: string): Promise<Database> {
  const { createPool } = await import('mysql2/promise')
  const { mysql2Storage } = await import('@latchkey/storage-sql/mysql2')
  const uri = url.replace(/^mariadb:/, 'mysql:')
  const pool = createPool({ uri, connectTimeout: 5000 })
  const close = (): Promise<void> => pool.end()
  return { storage: mysql2Storage(pool), description: `MySQL at ${getHost(url)}`, close }
}

function getHost(url: string): string {
  return new URL(url).host
}
