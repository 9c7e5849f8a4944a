import { ConfigurationError } from '@latchkey/core'
import type { SqlStorage } from '@latchkey/storage-sql'
import { describeDatabaseProblem } from './database-problem.ts'

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
 * @throws ConfigurationError that says in one line why it cannot be opened, without the password
 */
export async function openDatabase(setting: string): Promise<Database> {
  const open = getOpener(setting)
  try {
    const database = await open(setting)
    await database.storage.migrate()
    return database
  } catch (thrown) {
    throw refuse(describeDatabaseProblem(thrown), getPlace(setting))
  }
}

type Open = (setting: string) => Promise<Database>

function getOpener(setting: string): Open {
  const [, scheme = 'file'] = /^(\w+):\/\//.exec(setting) ?? []
  const open = openers[scheme]
  if (!open) {
    const schemes = Object.keys(openers).join(', ')
    throw refuse(`expected the path of a file, or a URL with one of ${schemes}; got ${scheme}:`)
  }
  if (scheme === 'file' || URL.canParse(setting)) return open
  throw refuse('expected a valid host and port: percent-encode / ? # @ : in a password')
}

function refuse(problem: string, place: string = ''): ConfigurationError {
  return new ConfigurationError('AUTH_DATABASE', `cannot be opened${place}: ${problem}`)
}

/** Returns the server of a URL. With an `@` after it, it may be a part of the password instead. */
function getPlace(setting: string): string {
  const url = URL.parse(setting)
  if (!url?.host || /@/.test(url.pathname + url.search + url.hash)) return ''
  return ` at ${url.host}`
}

/** Each imports its own driver, so that the others are not loaded. */
const openers: Readonly<Record<string, Open>> = {
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
