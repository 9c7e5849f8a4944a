import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError } from '@latchkey/core'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import type { Mysql2Pool } from '@latchkey/storage-sql/mysql2'
import { pgStorage } from '@latchkey/storage-sql/pg'
import type { PgPool } from '@latchkey/storage-sql/pg'
import type { SqlStorage } from '@latchkey/storage-sql'
import { CliError, UsageError, describeThrown } from './cli-error.ts'

/** An open database. */
export interface Database {
  readonly storage: SqlStorage
  /** The kind and the place of the database, without the password. */
  readonly description: string
  readonly close: () => Promise<void>
}

/** Milliseconds to wait for a database server. */
const TIMEOUT = 5000

/**
 * Opens the database of `AUTH_DATABASE`. PostgreSQL and MySQL need the project's own `pg` or `mysql2`.
 *
 * @param setting A `postgres:`, `mysql:` or `mariadb:` URL, or the path of an SQLite file
 * @param folder The folder of the project
 *
 * @throws UsageError if the kind of database is not known, CliError if it cannot be opened
 */
export async function openDatabase(setting: string, folder: string): Promise<Database> {
  const [, scheme = 'file'] = /^(\w+):\/\//.exec(setting) ?? []
  const open = openers[scheme]
  if (!open) {
    const known = Object.keys(openers).join(', ')
    throw new UsageError(
      `expected the path of a file, or a URL with one of ${known}; got ${scheme}:`,
    )
  }
  if (scheme !== 'file' && !URL.canParse(setting)) {
    throw new CliError('expected a URL: percent-encode / ? # @ : in the password of the database')
  }
  return open(setting, folder)
}

type Open = (setting: string, folder: string) => Promise<Database>

const openers: Readonly<Record<string, Open>> = {
  file: openSqlite,
  postgres: openPostgres,
  postgresql: openPostgres,
  mysql: openMysql,
  mariadb: openMysql,
}

async function openSqlite(path: string, folder: string): Promise<Database> {
  try {
    const storage = nodeSqliteStorage(path === ':memory:' ? path : join(folder, path))
    return { storage, description: `SQLite in ${path}`, close: () => storage.close() }
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) throw new CliError(thrown.problem)
    throw thrown
  }
}

/** The members of `pg` that are used here. */
interface Pg {
  readonly Pool: new (options: object) => PgPool & {
    on(event: 'error', listener: (error: Error) => void): unknown
    end(): Promise<void>
  }
}

async function openPostgres(connectionString: string, folder: string): Promise<Database> {
  const { Pool } = await importDriver<Pg>('pg', folder)
  const pool = new Pool({ connectionString, connectionTimeoutMillis: TIMEOUT, max: 2 })
  // Without a listener, an idle connection that breaks ends the process.
  pool.on('error', () => undefined)
  const description = `PostgreSQL at ${new URL(connectionString).host}`
  return { storage: pgStorage(pool), description, close: () => pool.end() }
}

/** The members of `mysql2/promise` that are used here. */
interface Mysql2 {
  readonly createPool: (options: object) => Mysql2Pool & { end(): Promise<void> }
}

async function openMysql(url: string, folder: string): Promise<Database> {
  const { createPool } = await importDriver<Mysql2>('mysql2/promise', folder)
  const uri = url.replace(/^mariadb:/, 'mysql:')
  const pool = createPool({ uri, connectTimeout: TIMEOUT, connectionLimit: 2 })
  const description = `MySQL at ${new URL(url).host}`
  return { storage: mysql2Storage(pool), description, close: () => pool.end() }
}

/** Imports a driver from the project, so that this package does not bring every driver along. */
async function importDriver<T>(name: string, folder: string): Promise<T> {
  const [packageName = name] = name.split('/')
  const path = resolveFrom(join(folder, 'package.json'), name)
  if (path === undefined) {
    throw new CliError(
      `expected the package ${packageName} in this project: npm install ${packageName}`,
    )
  }
  const loaded = (await import(pathToFileURL(path).href)) as T & { readonly default?: T }
  return loaded.default ?? loaded
}

function resolveFrom(file: string, name: string): string | undefined {
  try {
    return createRequire(file).resolve(name)
  } catch {
    return undefined
  }
}

/** Errors of a connection, whose own messages name no cause, or are empty. */
const connectionProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ENOTFOUND: 'the host was not found',
  EAI_AGAIN: 'the host was not found',
  ETIMEDOUT: 'the server did not answer in time',
}

/** Returns in one line why a database cannot be used. */
export function describeDatabaseProblem(thrown: unknown): string {
  const { code } = Object(thrown) as { code?: unknown }
  return connectionProblems[String(code)] ?? describeThrown(thrown)
}
