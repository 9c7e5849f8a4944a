import { Buffer } from 'node:buffer'
import { mysql } from './dialects.ts'
import type { Result, Row, Statement, Value } from './driver.ts'
import { mysqlSupport } from './mysql-support.ts'
import { createPoolRunner } from './pool.ts'
import type { Connection, PoolStorageOptions } from './pool.ts'
import { openWithReads } from './reads.ts'
import type { ReadsOptions } from './reads.ts'
import { isNetworkError } from './recovery.ts'
import { raw } from './sql.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage } from './storage.ts'

/** The members of a `Pool` of `mysql2/promise` that the storage uses. */
export interface Mysql2Pool {
  getConnection(): Promise<Mysql2Connection>
}

/** The members of a connection of a {@link Mysql2Pool} that the storage uses. */
export interface Mysql2Connection {
  execute(query: Mysql2Query): Promise<[unknown, ...unknown[]]>
  query(query: Mysql2Query): Promise<[unknown, ...unknown[]]>
  release(): void
  destroy(): void
}

/** A query for mysql2, with the options of the pool that would change its rows. */
export interface Mysql2Query {
  readonly sql: string
  readonly values?: Mysql2Value[]
  readonly rowsAsArray: false
  readonly nestTables: false
  readonly typeCast: true
}

/** A value of a statement for mysql2. */
export type Mysql2Value = Buffer | number | null

/**
 * Creates a storage in MariaDB, or in MySQL from 8.0, through mysql2. Several statements run in a
 * transaction on one connection of the pool, READ COMMITTED: the default, REPEATABLE READ, also
 * locks the gaps between rows, so that concurrent sign-ins would block each other.
 *
 * @example
 *   import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
 *   import type { Mysql2Pool } from '@latchkey/storage-sql/mysql2'
 *
 *   declare const pool: Mysql2Pool // createPool('mysql://localhost/app') of mysql2/promise
 *   const storage = mysql2Storage(pool)
 *
 * @throws ConfigurationError `prefix`, `fields`, `timeout` or `reads`
 */
export function mysql2Storage<Fields = unknown>(
  pool: Mysql2Pool,
  options: PoolStorageOptions<Fields> & ReadsOptions<Mysql2Pool> = {},
): SqlStorage<Fields> {
  const open = (of: Mysql2Pool, timeout: number): SqlStorage<Fields> =>
    createStorage(
      {
        dialect: 'mysql',
        isUniqueViolation: (error) => getErrorNumber(error) === 1062, // ER_DUP_ENTRY
        // ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, and ER_CHECKREAD of MariaDB
        isTransient: (error) => [1213, 1205, 1020].includes(getErrorNumber(error)),
        run: createPoolRunner(
          {
            connect: () => connect(of),
            // SET applies to the next transaction only: the connection returns to the pool unchanged.
            begin: ['SET TRANSACTION ISOLATION LEVEL READ COMMITTED', START],
            isRefusal,
            isNotReady,
          },
          timeout,
        ),
      },
      mysql,
      options,
      timeout,
      mysqlSupport,
    )
  return openWithReads(open, pool, options)
}

/** What a pool has by default: options of the query take precedence over those of the pool. */
const asUsual = { rowsAsArray: false, nestTables: false, typeCast: true } as const

const START = 'START TRANSACTION'

async function execute(
  client: Pick<Mysql2Connection, 'execute' | 'query'>,
  { sql, params }: Statement,
): Promise<Result> {
  // A statement without values is not prepared: it does not repeat, or must not be prepared.
  const isPrepared = params.length > 0
  const values = params.map(toBytes)
  const [result] = await (isPrepared
    ? client.execute({ ...asUsual, sql, values })
    : client.query({ ...asUsual, sql }))
  if (Array.isArray(result)) return { rows: result.map(decodeRow), affected: 0 }
  return { rows: [], affected: getMatchedRows(result as ResultHeader) }
}

/** The result of a statement without rows in mysql2. */
interface ResultHeader {
  readonly affectedRows: number
  readonly info?: string
}

/** Without the flag FOUND_ROWS, `affectedRows` leaves out rows that had the new values already. */
function getMatchedRows({ info = '', affectedRows }: ResultHeader): number {
  const [, matched = affectedRows] = /matched: (\d+)/.exec(info) ?? []
  return Number(matched)
}

/** Sends texts as bytes, so that the character set of the connection does not change them. */
function toBytes(value: Value): Mysql2Value {
  return typeof value === 'string' ? Buffer.from(value) : value
}

function decodeRow(row: Row): Row {
  const columns = Object.entries(row).map(
    ([name, value]) => [name, Buffer.isBuffer(value) ? value.toString() : value] as const,
  )
  return Object.fromEntries<unknown>(columns)
}

async function connect(pool: Mysql2Pool): Promise<Connection> {
  const connection = await pool.getConnection()
  const isAutocommit = await readAutocommit(connection)
  let isChanged = false
  let isInTransaction = false
  return {
    async execute(statement) {
      isChanged ||= statement.sql.startsWith('SET SESSION')
      if (isAutocommit || isInTransaction) return execute(connection, statement)
      try {
        return await execute(connection, statement)
      } finally {
        // Also after a read: the next one would not see what others write meanwhile.
        await query(connection, 'COMMIT')
      }
    },
    command(sql) {
      isInTransaction = sql === START
      return query(connection, sql)
    },
    // The next caller expects the session as the pool has opened it.
    release: () => (isChanged ? connection.destroy() : connection.release()),
    discard: () => connection.destroy(),
  }
}

function query(
  connection: Mysql2Connection,
  sql: string,
): Promise<[result: unknown, ...others: unknown[]]> {
  return connection.query({ ...asUsual, sql })
}

/** Whether each connection of a pool commits by itself; the server or the application can have turned that off. */
const autocommits = new WeakMap<object, boolean>()

/** Returns whether a connection commits by itself. If it does not, ends what its previous user has begun. */
async function readAutocommit(connection: Mysql2Connection): Promise<boolean> {
  // The pool gives the same connection away in another object each time.
  const { connection: key = connection }: { readonly connection?: object } = Object(connection)
  try {
    const isOn = autocommits.get(key) ?? (await selectAutocommit(connection))
    autocommits.set(key, isOn)
    if (!isOn) await query(connection, 'COMMIT')
    return isOn
  } catch (error) {
    connection.destroy()
    throw error
  }
}

async function selectAutocommit(connection: Mysql2Connection): Promise<boolean> {
  const { rows } = await execute(connection, raw('SELECT @@autocommit AS autocommit'))
  return Number(rows[0]?.['autocommit']) !== 0
}

/** Returns whether no connection could be made because the server stops, or has too many of them. */
function isRefusal(error: unknown): boolean {
  // ER_CON_COUNT_ERROR, ER_SERVER_SHUTDOWN, ER_TOO_MANY_USER_CONNECTIONS
  if ([1040, 1053, 1203].includes(getErrorNumber(error))) return true
  const { code, message }: { readonly code?: unknown; readonly message?: unknown } = Object(error)
  // ER_USER_LIMIT_REACHED also stands for limits by the hour, which no retry outlasts.
  if (getErrorNumber(error) === 1226) return /max_user_connections/.test(String(message))
  return code === 'PROTOCOL_CONNECTION_LOST' || isNetworkError(error)
}

/** Returns whether a node of a Galera cluster has not joined the others yet. ER_UNKNOWN_COM_ERROR has other causes too. */
function isNotReady(error: unknown): boolean {
  const { message }: { readonly message?: unknown } = Object(error)
  return getErrorNumber(error) === 1047 && /WSREP/.test(String(message))
}

function getErrorNumber(error: unknown): number {
  const { errno }: { readonly errno?: unknown } = Object(error)
  return Number(errno)
}

export type { PoolStorageOptions } from './pool.ts'
export type { Reads, ReadsOptions } from './reads.ts'
