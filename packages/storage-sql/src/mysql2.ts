import { Buffer } from 'node:buffer'
import { resolveTimeout } from '@latchkey/core/timeout'
import { mysql } from './dialects.ts'
import type { Result, Row, Statement, Value } from './driver.ts'
import { createPoolRunner } from './pool.ts'
import type { Connection, PoolStorageOptions } from './pool.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage } from './storage.ts'

/** The members of a `Pool` of `mysql2/promise` that the storage uses. */
export interface Mysql2Pool {
  getConnection(): Promise<Mysql2Connection>
}

/** The members of a connection of a {@link Mysql2Pool} that the storage uses. */
export interface Mysql2Connection {
  execute(sql: string, params: Mysql2Value[]): Promise<[unknown, ...unknown[]]>
  query(sql: string): Promise<unknown>
  release(): void
  destroy(): void
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
 * @throws ConfigurationError `prefix`, `fields` or `timeout`
 */
export function mysql2Storage<Fields = unknown>(
  pool: Mysql2Pool,
  options?: PoolStorageOptions<Fields>,
): SqlStorage<Fields> {
  return createStorage(
    {
      dialect: 'mysql',
      isUniqueViolation: (error) => getErrorNumber(error) === 1062, // ER_DUP_ENTRY
      // ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, and ER_CHECKREAD of MariaDB
      isTransient: (error) => [1213, 1205, 1020].includes(getErrorNumber(error)),
      run: createPoolRunner({
        connect: () => connect(pool),
        // SET applies to the next transaction only: the connection returns to the pool unchanged.
        begin: ['SET TRANSACTION ISOLATION LEVEL READ COMMITTED', 'START TRANSACTION'],
      }),
    },
    mysql,
    options,
    resolveTimeout(options?.timeout),
  )
}

async function execute(
  client: Pick<Mysql2Connection, 'execute'>,
  { sql, params }: Statement,
): Promise<Result> {
  const [result] = await client.execute(sql, params.map(toBytes))
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
  const columns = Object.entries(row).map(([name, value]) => [
    name,
    Buffer.isBuffer(value) ? value.toString() : value,
  ])
  return Object.fromEntries(columns) as Row
}

async function connect(pool: Mysql2Pool): Promise<Connection> {
  const connection = await pool.getConnection()
  return {
    execute: (statement) => execute(connection, statement),
    command: (sql) => connection.query(sql),
    release: () => connection.release(),
    discard: () => connection.destroy(),
  }
}

function getErrorNumber(error: unknown): number {
  return Number((error as { readonly errno?: unknown } | null)?.errno)
}

export type { PoolStorageOptions } from './pool.ts'
