import type { SqlStorage, Statement } from '@latchkey/storage-sql'

/** A database to grow. */
export interface GrowthDatabase {
  readonly name: string
  /** Creates the storage of one size. Its tables have their own prefix. */
  readonly createStorage: (prefix: string) => SqlStorage
  /** Creates the same storage, which passes each statement on to a listener before it runs. */
  readonly createRecordedStorage: (prefix: string, listener: StatementListener) => SqlStorage
  /** Runs one statement without values. */
  readonly execute: (sql: string) => Promise<unknown>
  /** Returns what follows FROM: rows with a column `n` from 1 to `count`. */
  readonly toNumbers: (count: number) => string
  /** Returns the statement that updates what the planner knows of a table; nothing if it needs nothing. */
  readonly toAnalyze: (table: string) => string | undefined
  /** Returns the steps of a statement's plan that read a whole table or a whole index. */
  readonly findScans: (statement: Statement) => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

export type StatementListener = (statement: Statement) => void
