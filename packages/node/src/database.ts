import { ConfigurationError } from '@latchkey/core'
import type { Logger, Storage } from '@latchkey/core'
import type { SqlStorage, SqlStorageOptions } from '@latchkey/storage-sql'
import type { SqlFactors } from '@latchkey/storage-sql/factors'
import type { SqlGrants } from '@latchkey/storage-sql/grants'
import { sweepAll } from '@latchkey/storage-sql/sweep'
import type { SweepOptions } from '@latchkey/storage-sql/sweep'
import { describeDatabaseProblem } from './database-problem.ts'

/** An open storage, with its tables created. */
export interface Database {
  readonly storage: Storage
  /** The kind and the place of the database, without the password. */
  readonly description: string
  /** The database system, by its name in the semantic conventions of OpenTelemetry. */
  readonly system: 'sqlite' | 'postgresql' | 'mysql' | 'mariadb' | 'redis'
  /**
   * Deletes all expired rows, in batches, and returns their number. Absent if the database deletes them
   * itself, as Redis does.
   */
  readonly sweep?: (options?: SweepOptions) => Promise<number>
  readonly close: () => Promise<void>
}

/** The options of {@link openDatabase}. */
export interface DatabaseOptions {
  /** `sqlFactors()` of `@latchkey/storage-sql/factors`: an SQL database then keeps factors, as Redis does. Default: none */
  readonly factors?: SqlFactors
  /** `sqlGrants()` of `@latchkey/storage-sql/grants`: an SQL database then keeps grants and clients, as Redis does. Default: none */
  readonly grants?: SqlGrants
  /** The most connections to PostgreSQL or MySQL. Default: 10 */
  readonly poolSize?: number
  /** Is called if a connection breaks, which is then replaced. Default: `console.error` */
  readonly onError?: (error: Error) => void
  /** Is called before a transaction is tried again, e.g. after a deadlock. Default: nothing is called */
  readonly onRetry?: (error: unknown) => void
  /** Receives a warning if the settings of a server lose data. Default: `console` */
  readonly logger?: Pick<Logger, 'warn'>
}

type OptionalParts = Pick<DatabaseOptions, 'logger' | 'factors' | 'grants'>
type OpenOptions = Required<Omit<DatabaseOptions, keyof OptionalParts>> & OptionalParts

/**
 * Opens the database of `AUTH_DATABASE`, and creates or migrates its tables.
 *
 * @param setting A `postgres:`, `mysql:`, `mariadb:`, `redis:` or `rediss:` URL, or the path of an
 *   SQLite file
 *
 * @throws ConfigurationError that says in one line why it cannot be opened, without the password
 */
export async function openDatabase(
  setting: string,
  { poolSize = 10, onError = printError, onRetry = ignore, ...options }: DatabaseOptions = {},
): Promise<Database> {
  const open = getOpener(setting)
  try {
    return await open(setting, { poolSize, onError, onRetry, ...options })
  } catch (thrown) {
    throw databaseError(describeDatabaseProblem(thrown), getPlace(setting))
  }
}

function printError(error: Error): void {
  console.error(`latchkey: the database: ${error.message}`)
}

function ignore(): void {}

type Open = (setting: string, options: OpenOptions) => Promise<Database>

function getOpener(setting: string): Open {
  const [, scheme = 'file'] = /^(\w+):\/\//.exec(setting) ?? []
  const open = openers[scheme]
  if (!open) {
    const schemes = Object.keys(openers).join(', ')
    throw databaseError(
      `expected the path of a file, or a URL with one of ${schemes}; got ${scheme}:`,
    )
  }
  if (scheme === 'file' || URL.canParse(setting)) return open
  throw databaseError('expected a valid host and port: percent-encode / ? # @ : in a password')
}

function databaseError(problem: string, place: string = ''): ConfigurationError {
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
  redis: openRedis,
  rediss: openRedis,
}

async function openSqlite(path: string, options: OpenOptions): Promise<Database> {
  const { nodeSqliteStorage } = await import('@latchkey/storage-sql/node-sqlite')
  const storage = nodeSqliteStorage(path, toSqlOptions(options))
  const close = (): Promise<void> => storage.close()
  return migrate(storage, { system: 'sqlite', description: `SQLite in ${path}`, close })
}

async function openPostgres(url: string, options: OpenOptions): Promise<Database> {
  const { poolSize, onError } = options
  const { default: pg } = await import('pg')
  const { pgStorage } = await import('@latchkey/storage-sql/pg')
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5000, max: poolSize })
  // The pool replaces an idle connection that breaks. Without a listener the event ends the process.
  pool.on('error', onError)
  const close = (): Promise<void> => pool.end()
  const description = `PostgreSQL at ${getHost(url)}`
  const prepare = !isFalse(url, 'prepare')
  const storage = pgStorage(pool, { ...toSqlOptions(options), prepare })
  return migrate(storage, { system: 'postgresql', description, close }, options)
}

async function openMysql(url: string, options: OpenOptions): Promise<Database> {
  const { poolSize } = options
  const { createPool } = await import('mysql2/promise')
  const { mysql2Storage } = await import('@latchkey/storage-sql/mysql2')
  const uri = url.replace(/^mariadb:/, 'mysql:')
  const pool = createPool({ uri, connectTimeout: 5000, connectionLimit: poolSize })
  const close = (): Promise<void> => pool.end()
  const system = uri === url ? 'mysql' : 'mariadb'
  const description = `MySQL at ${getHost(url)}`
  const storage = mysql2Storage(pool, toSqlOptions(options))
  return migrate(storage, { system, description, close }, options)
}

async function openRedis(url: string, { onError, logger }: OpenOptions): Promise<Database> {
  const { createClient } = await import('@redis/client')
  const { redisStorage } = await import('@latchkey/storage-redis')
  let isOpen = false
  const client = createClient({
    url,
    // The storage repeats calls that were not sent.
    disableOfflineQueue: true,
    // With `socketTimeout`, an idle connection that has died is replaced before it is used.
    pingInterval: 2000,
    socket: {
      connectTimeout: 5000,
      socketTimeout: 5000,
      keepAliveInitialDelay: 5000,
      reconnectStrategy: (retries) => isOpen && Math.random() * Math.min(2 ** retries * 100, 2000),
    },
  })
  client.on('error', (error: Error) => isOpen && onError(error))
  await client.connect()
  isOpen = true
  return {
    storage: redisStorage(client, logger && { logger }),
    system: 'redis',
    description: `Redis at ${getHost(url)}`,
    close: () => client.close(),
  }
}

/** Returns the options of a storage in an SQL database. */
function toSqlOptions({ onRetry, factors, grants }: OpenOptions): SqlStorageOptions {
  return { onRetry, ...(factors && { factors }), ...(grants && { grants }) }
}

/** Creates or migrates the tables of an SQL database. It is closed if that fails. */
async function migrate(
  storage: SqlStorage,
  parts: Omit<Database, 'storage' | 'sweep'>,
  { logger = console }: Pick<DatabaseOptions, 'logger'> = {},
): Promise<Database> {
  try {
    await storage.migrate()
  } catch (thrown) {
    await parts.close()
    throw thrown
  }
  await reportWarnings(storage, logger)
  return { ...parts, storage, sweep: (options) => sweepAll(storage, options) }
}

/** Reports what the server can lose. A server that does not show its settings is not reported. */
async function reportWarnings(storage: SqlStorage, logger: Pick<Logger, 'warn'>): Promise<void> {
  const warnings = await storage.getServerWarnings().catch(() => [])
  for (const { problem, fix } of warnings) logger.warn(`the database: ${problem}; ${fix}`, {})
}

/** Returns whether a parameter of the URL is `false`, as postgres.js reads it too. */
function isFalse(url: string, name: string): boolean {
  return new URL(url).searchParams.get(name) === 'false'
}

function getHost(url: string): string {
  return new URL(url).host
}
