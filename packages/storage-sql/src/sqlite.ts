import type { Driver, Result, Row, Statement, Value } from './driver.ts'
import { givesRows } from './driver.ts'

/** What the SQLite drivers know of SQLite's errors. */
export const sqliteErrors: Pick<Driver, 'isUniqueViolation' | 'isTransient'> = {
  // Clients name the error in ways of their own, and all of them give SQLite's message.
  isUniqueViolation: (error) => /UNIQUE constraint failed/.test(messageOf(error)),
  isTransient: (error) => /SQLITE_BUSY|database (table )?is locked/.test(messageOf(error)),
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

/** What `DatabaseSync` of `node:sqlite` and `Database` of better-sqlite3 have in common. */
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
 * A driver over a client that answers at once. A batch runs within one turn of the event loop, so
 * nothing else of this process comes between on the same connection.
 */
export function syncDriver(database: SyncDatabase): Driver {
  const prepared = new Map<string, SyncStatement>()
  const prepare = (sql: string): SyncStatement => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  const perform = (statement: Statement): Result => {
    const { sql, params } = statement
    if (givesRows(statement)) return { rows: prepare(sql).all(...params) as Row[], affected: 0 }
    return { rows: [], affected: Number(prepare(sql).run(...params).changes) }
  }
  return {
    ...sqliteErrors,
    dialect: 'sqlite',
    run: async (statements) =>
      statements.length === 1
        ? statements.map(perform)
        : atomically(database, () => statements.map(perform)),
  }
}

function atomically<T>(database: SyncDatabase, work: () => T): T {
  // IMMEDIATE: who only reads at first could not write any more once another has written.
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
    // SQLite has done so already, as it does when a disk is full.
  }
}
