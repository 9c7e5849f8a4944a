import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError } from '@latchkey/core'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import type { Mysql2Pool } from '@latchkey/storage-sql/mysql2'
import { pgStorage } from '@latchkey/storage-sql/pg'
import type { PgPool } from '@latchkey/storage-sql/pg'
import type { SqlStorage, SqlStorageOptions } from '@latchkey/storage-sql'
import { CliError, UsageError, describeThrown } from './cli-error.ts'
import { readText } from './members.ts'

/** An open database. */
export interface Database<Storage = SqlStorage> {
  readonly storage: Storage
  /** The kind and the place of the database, without the password. */
  readonly description: string
  readonly close: () => Promise<void>
}

/** Seconds to wait for a database server. */
const TIMEOUT = 5

/**
 * Opens the database of `AUTH_DATABASE`. PostgreSQL and MySQL need the project's own `pg` or `mysql2`.
 *
 * @param setting A `postgres:`, `mysql:` or `mariadb:` URL, or the path of an SQLite file
 * @param folder The folder of the project
 * @param options The application's own fields, and the prefix of its tables. Default: none
 *
 * @throws UsageError if the kind of database is not known, CliError if it cannot be opened
 */
export async function openDatabase(
  setting: string,
  folder: string,
  options: SqlStorageOptions = {},
): Promise<Database> {
  if (setting === 'none') throw new UsageError('expected a database, found none: nothing is stored')
  if (isRedis(setting)) {
    const reason = 'it has no tables, and deletes expired keys itself'
    throw new UsageError(`expected an SQL database, found Redis: ${reason}`)
  }
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
  return open(setting, folder, options)
}

/** Returns whether a setting names a Redis server, which has nothing to migrate or to sweep. */
export function isRedis(setting: string): boolean {
  return /^rediss?:/.test(setting)
}

/**
 * Closes a database after the work.
 *
 * @param done What the error says that the database cannot be: `migrated`
 * @throws CliError if the work fails
 */
export async function workWith<T, Storage>(
  database: Database<Storage>,
  done: string,
  work: (database: Database<Storage>) => Promise<T>,
): Promise<T> {
  try {
    return await work(database)
  } catch (thrown) {
    const problem = describeDatabaseProblem(thrown)
    throw new CliError(`${database.description} cannot be ${done}: ${problem}`)
  } finally {
    await database.close()
  }
}

type Open = (setting: string, folder: string, options: SqlStorageOptions) => Promise<Database>

const openers: Readonly<Record<string, Open>> = {
  file: openSqlite,
  postgres: openPostgres,
  postgresql: openPostgres,
  mysql: openMysql,
  mariadb: openMysql,
}

async function openSqlite(
  path: string,
  folder: string,
  options: SqlStorageOptions,
): Promise<Database> {
  try {
    const storage = nodeSqliteStorage(path === ':memory:' ? path : resolve(folder, path), options)
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

async function openPostgres(
  connectionString: string,
  folder: string,
  options: SqlStorageOptions,
): Promise<Database> {
  const { Pool } = await importDriver<Pg>('pg', folder)
  const pool = new Pool({ connectionString, connectionTimeoutMillis: TIMEOUT * 1000, max: 2 })
  // Without a listener, an idle connection that breaks ends the process.
  pool.on('error', () => undefined)
  const description = `PostgreSQL at ${new URL(connectionString).host}`
  // As postgres.js reads it: PgBouncer before 1.21 does not support prepared statements.
  const prepare = new URL(connectionString).searchParams.get('prepare') !== 'false'
  const storage = pgStorage(pool, { ...options, timeout: TIMEOUT, prepare })
  return { storage, description, close: () => pool.end() }
}

/** The members of `mysql2/promise` that are used here. */
interface Mysql2 {
  readonly createPool: (options: object) => Mysql2Pool & { end(): Promise<void> }
}

async function openMysql(
  url: string,
  folder: string,
  options: SqlStorageOptions,
): Promise<Database> {
  const { createPool } = await importDriver<Mysql2>('mysql2/promise', folder)
  const uri = url.replace(/^mariadb:/, 'mysql:')
  const pool = createPool({ uri, connectTimeout: TIMEOUT * 1000, connectionLimit: 2 })
  const description = `MySQL at ${new URL(url).host}`
  return {
    storage: mysql2Storage(pool, { ...options, timeout: TIMEOUT }),
    description,
    close: () => pool.end(),
  }
}

/** Imports a driver from the project, so that this package does not bring every driver along. */
export async function importDriver<T>(name: string, folder: string): Promise<T> {
  const [packageName = name] = name.split('/')
  const path = resolveFrom(join(folder, 'package.json'), name)
  if (path === undefined) {
    throw new CliError(
      `expected the package ${packageName} in this project: npm install ${packageName}`,
    )
  }
  const loaded: T & { readonly default?: T } = await import(pathToFileURL(path).href)
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
  return connectionProblems[readText(thrown, 'code') ?? ''] ?? describeThrown(thrown)
}
