/**
 * The port between the storage and a database client. A driver knows how to talk to its client; it
 * knows nothing of users and sessions.
 */

/** Which SQL a database speaks. MariaDB speaks `mysql`, D1 and libSQL speak `sqlite`. */
export type Dialect = 'sqlite' | 'postgres' | 'mysql'

/** What a statement may carry. Truth values are 1 and 0, and times are whole seconds since 1970. */
export type Value = string | number | null

/** A statement, described but not yet run. */
export interface Statement {
  /** With `?`, or in PostgreSQL `$1`, `$2`, … where the values go. */
  readonly sql: string
  readonly params: readonly Value[]
}

/** One row under the names of its columns. Integers may be numbers, bigints or digits. */
export type Row = Readonly<Record<string, unknown>>

/** What a statement did. */
export interface Result {
  /** Empty where the statement gives none. */
  readonly rows: readonly Row[]
  /**
   * How many rows an INSERT, UPDATE or DELETE without RETURNING has met, those included that had the
   * new values already.
   */
  readonly affected: number
}

/** Runs statements on a database. */
export interface Driver {
  readonly dialect: Dialect
  /**
   * Runs statements in order, as one transaction: all of them or none. What other transactions have
   * committed before a statement begins is visible to it (READ COMMITTED, or stricter with locks of
   * the whole database, as SQLite has them).
   *
   * @returns One result for each statement
   *
   * @throws Error of the client; then nothing has been changed, unless the connection was lost while
   *   it committed
   */
  run(statements: readonly Statement[]): Promise<readonly Result[]>
  /** Whether an error of {@link Driver.run} says that something unique is there already. */
  isUniqueViolation(error: unknown): boolean
  /**
   * Whether an error of {@link Driver.run} says that nothing has been changed and that the same may
   * succeed in a moment: a deadlock, a serialization failure, a database that is busy.
   */
  isTransient(error: unknown): boolean
  /** Closes what the driver itself has opened. Absent where that is nothing. */
  close?(): Promise<void>
}

/** Whether a statement of ours gives rows, for clients that have two ways of running one. */
export function givesRows({ sql }: Statement): boolean {
  return /^SELECT | RETURNING /.test(sql)
}
