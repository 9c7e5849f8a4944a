import type { DialectRow } from './dialects.ts'
import type { Driver, Result, Row, Statement } from './driver.ts'
import { retried } from './retry.ts'
import { raw } from './sql.ts'

/** What the verbs of a storage are made with: a driver, with the tables' names and the dialect. */
export interface Database {
  readonly dialect: DialectRow
  /** Ends a SELECT whose rows must stay as they are until the end of the batch. */
  readonly lock: Statement
  /** Runs a batch, all of it or nothing. */
  readonly run: (...statements: readonly Statement[]) => Promise<readonly Result[]>
  /** The rows that one statement gives. */
  readonly rows: (statement: Statement) => Promise<readonly Row[]>
  /** Runs a batch; whether its last statement has met a row. */
  readonly changes: (...statements: readonly Statement[]) => Promise<boolean>
  /** What some work gives; undefined where it would make something unique twice. */
  readonly unlessTaken: <T>(work: Promise<T>) => Promise<T | undefined>
}

/** A batch is retried where that is safe, and what is unique is told apart from what fails. */
export function createDatabase(driver: Driver, dialect: DialectRow, prefix: string): Database {
  const render = ({ sql, params }: Statement): Statement => {
    let n = 0
    const text = sql.replaceAll('#', prefix).replaceAll('?', () => dialect.placeholder(++n))
    return { sql: text, params }
  }
  const run: Database['run'] = (...statements) => retried(driver, statements.map(render))
  return {
    dialect,
    lock: raw(dialect.lock),
    run,
    rows: async (statement) => (await run(statement))[0]?.rows ?? [],
    changes: async (...statements) => (await run(...statements)).at(-1)?.affected === 1,
    unlessTaken: async (work) => {
      try {
        return await work
      } catch (error) {
        if (driver.isUniqueViolation(error)) return undefined
        throw error
      }
    },
  }
}
