import { ConfigurationError } from '@latchkey/core'
import type { Driver, Result, Row, Statement, Value } from './driver.ts'
import { hasRows } from './driver.ts'

/** Classifies the errors of SQLite by their message: each client has different codes for them. */
export const sqliteErrors: Pick<Driver, 'isUniqueViolation' | 'isTransient'> = {
  isUniqueViolation: (error) => /UNIQUE constraint failed/.test(getMessage(error)),
  isTransient: (error) => /SQLITE_BUSY|database (table )?is locked/.test(getMessage(error)),
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

/** The common members of `DatabaseSync` of `node:sqlite` and `Database` of better-sqlite3. */
export interface SyncDatabase {
  exec(sql: string): unknown
  prepare(sql: string): SyncStatement
  close(): unknown
}

/** A prepared statement of a {@link SyncDatabase}. */
export interface SyncStatement {
  all(...params: Value[]): unknown[]
  run(...params: Value[]): { readonly changes: number | bigint }
}

/**
 * Checks that a database is a synchronous client: a variable that is not set is undefined.
 *
 * @param expected What the option may be
 * @throws ConfigurationError `database`
 */
export function checkDatabase(database: unknown, expected: string): void {
  const { prepare }: { readonly prepare?: unknown } = Object(database)
  if (typeof prepare === 'function') return
  const found = database === null ? 'null' : typeof database
  throw new ConfigurationError('database', `must be ${expected}, found ${found}`)
}

/**
 * Creates a driver over a synchronous client. A batch runs within one turn of the event loop, so that
 * no other statement of this process runs in between on the same connection.
 */
export function createSyncDriver(database: SyncDatabase): Driver {
  const prepared = new Map<string, SyncStatement>()
  const prepare = (sql: string): SyncStatement => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  const execute = (statement: Statement): Result => {
    const { sql, params } = statement
    if (hasRows(statement)) return { rows: prepare(sql).all(...params) as Row[], affected: 0 }
    return { rows: [], affected: Number(prepare(sql).run(...params).changes) }
  }
  return {
    ...sqliteErrors,
    dialect: 'sqlite',
    run: async (statements) =>
      statements.length === 1
        ? statements.map(execute)
        : runInTransaction(database, () => statements.map(execute)),
  }
}

function runInTransaction<T>(database: SyncDatabase, work: () => T): T {
  // IMMEDIATE: a transaction that begins with a read cannot write after another one has written.
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    rollBack(database)
    throw error
  }
}

function rollBack(database: SyncDatabase): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite rolls back by itself after some errors, such as a full disk.
  }
}
