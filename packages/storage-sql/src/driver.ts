/** The port between the storage and a database client. A driver knows nothing about users. */

/** The SQL of a database. MariaDB uses `mysql`; D1 and libSQL use `sqlite`. */
export type Dialect = 'sqlite' | 'postgres' | 'mysql'

/** A value of a statement. Booleans are 1 and 0; times are whole seconds since 1970. */
export type Value = string | number | null

/** A statement that has not run yet. */
export interface Statement {
  /** The text, with `?`, or in PostgreSQL `$1`, `$2`, …, for the values. */
  readonly sql: string
  readonly params: readonly Value[]
}

/** A row by column names. Integers may be numbers, bigints or strings of digits. */
export type Row = Readonly<Record<string, unknown>>

/** The result of a statement. */
export interface Result {
  /** Empty if the statement returns no rows. */
  readonly rows: readonly Row[]
  /**
   * The number of rows that an INSERT, UPDATE or DELETE without RETURNING matched, including rows
   * that had the new values already.
   */
  readonly affected: number
}

/** Runs statements on a database. */
export interface Driver {
  readonly dialect: Dialect
  /**
   * Runs statements in order, as one transaction. A statement sees what other transactions
   * committed before it began: READ COMMITTED, or a lock on the whole database as in SQLite.
   *
   * @param timeout Seconds after which it fails if the database has not answered. Default: none
   * @returns One result for each statement
   *
   * @throws Error of the client. Nothing has changed then, unless the connection was lost, or the time
   *   was over, during the commit
   */
  run(statements: readonly Statement[], timeout?: number): Promise<readonly Result[]>
  /** Returns whether {@link Driver.run} failed because of a unique constraint. */
  isUniqueViolation(error: unknown): boolean
  /**
   * Returns whether {@link Driver.run} changed nothing and may succeed if it is repeated: after a
   * deadlock, after a serialization failure, or if the database is busy.
   */
  isTransient(error: unknown): boolean
  /** Closes what the driver itself opened. Absent if that is nothing. */
  close?(): Promise<void>
}

/** Returns whether a statement of the storage returns rows: some clients run such statements differently. */
export function hasRows({ sql }: Statement): boolean {
  return /^SELECT | RETURNING /.test(sql)
}
