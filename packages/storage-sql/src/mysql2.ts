import { Buffer } from 'node:buffer'
import { mysql } from './dialects.ts'
import type { Result, Row, Statement, Value } from './driver.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'

/** What is used of a `Pool` of `mysql2/promise`. */
export interface Mysql2Pool {
  execute(sql: string, params: Mysql2Value[]): Promise<[unknown, ...unknown[]]>
  getConnection(): Promise<Mysql2Connection>
}

/** What is used of a connection of a {@link Mysql2Pool}. */
export interface Mysql2Connection extends Pick<Mysql2Pool, 'execute'> {
  query(sql: string): Promise<unknown>
  release(): void
  destroy(): void
}

/** A value as mysql2 takes it. */
export type Mysql2Value = Buffer | number | null

/**
 * A storage in MySQL from 8.0 on, or MariaDB, through mysql2. What is more than one statement runs
 * in a transaction on one connection of the pool, READ COMMITTED: under the default, REPEATABLE
 * READ, gaps between rows are locked too, and who begins sessions at once would block each other.
 *
 * @example
 *   import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
 *   import type { Mysql2Pool } from '@latchkey/storage-sql/mysql2'
 *
 *   declare const pool: Mysql2Pool // createPool('mysql://localhost/app') of mysql2/promise
 *   const storage = mysql2Storage(pool)
 *
 * @throws ConfigurationError `prefix`
 */
export function mysql2Storage(pool: Mysql2Pool, options?: SqlStorageOptions): SqlStorage {
  return createStorage(
    {
      dialect: 'mysql',
      isUniqueViolation: (error) => numberOf(error) === 1062, // ER_DUP_ENTRY
      // ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, and MariaDB's ER_CHECKREAD
      isTransient: (error) => [1213, 1205, 1020].includes(numberOf(error)),
      run: async (statements) => {
        const [only, ...others] = statements
        if (only && others.length === 0) return [await perform(pool, only)]
        return inTransaction(pool, async (connection) => {
          const results: Result[] = []
          for (const statement of statements) results.push(await perform(connection, statement))
          return results
        })
      },
    },
    mysql,
    options,
  )
}

async function perform(
  on: Pick<Mysql2Pool, 'execute'>,
  { sql, params }: Statement,
): Promise<Result> {
  const [result] = await on.execute(sql, params.map(toBytes))
  if (Array.isArray(result)) return { rows: result.map(fromBytes), affected: 0 }
  return { rows: [], affected: matched(result as Header) }
}

/** What mysql2 gives for a statement without rows. */
interface Header {
  readonly affectedRows: number
  readonly info?: string
}

/** Without the flag FOUND_ROWS, an UPDATE that changes nothing affects nothing, but it says so. */
function matched({ info = '', affectedRows }: Header): number {
  const [, rows = affectedRows] = /matched: (\d+)/.exec(info) ?? []
  return Number(rows)
}

/** As bytes, texts are the same whatever character set the connection has. */
function toBytes(value: Value): Mysql2Value {
  return typeof value === 'string' ? Buffer.from(value) : value
}

function fromBytes(row: Row): Row {
  const fields = Object.entries(row).map(([name, value]) => [
    name,
    Buffer.isBuffer(value) ? value.toString() : value,
  ])
  return Object.fromEntries(fields) as Row
}

async function inTransaction<T>(
  pool: Mysql2Pool,
  work: (connection: Mysql2Connection) => Promise<T>,
): Promise<T> {
  const connection = await pool.getConnection()
  try {
    // For the next transaction alone: the connection goes back as it was.
    await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED')
    await connection.query('START TRANSACTION')
    const result = await work(connection)
    await connection.query('COMMIT')
    connection.release()
    return result
  } catch (error) {
    await rollBack(connection)
    throw error
  }
}

/** A connection that cannot even go back is no good to the pool. */
async function rollBack(connection: Mysql2Connection): Promise<void> {
  try {
    await connection.query('ROLLBACK')
    connection.release()
  } catch {
    connection.destroy()
  }
}

function numberOf(error: unknown): number {
  return Number((error as { readonly errno?: unknown } | null)?.errno)
}
