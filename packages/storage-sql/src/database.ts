import type { DialectSyntax } from './dialects.ts'
import type { Driver, Result, Row, Statement } from './driver.ts'
import { runWithRetry } from './retry.ts'
import { raw } from './sql.ts'

/** A driver that adds the table prefix, the dialect's placeholders and retries. */
export interface Database {
  readonly syntax: DialectSyntax
  /** Ends a SELECT whose rows must not change until the end of the batch. */
  readonly lock: Statement
  /** Runs a batch as one transaction. */
  readonly run: RunBatch
  /** Runs a batch that may take longer than a request waits. */
  readonly runUnlimited: RunBatch
  /** Runs one statement and returns its rows. */
  readonly queryRows: (statement: Statement) => Promise<readonly Row[]>
  /** Runs a batch and returns whether its last statement affected one row. */
  readonly runChange: (...statements: readonly Statement[]) => Promise<boolean>
  /** Returns the result of the work; undefined if it violates a unique constraint. */
  readonly catchUniqueViolation: <T>(work: Promise<T>) => Promise<T | undefined>
}

type RunBatch = (...statements: readonly Statement[]) => Promise<readonly Result[]>

/** Text literals, whose characters mean themselves; the prefix; a value. */
const TOKENS = /'[^']*'|[#?]/g

/**
 * Creates the database that the methods of a storage run on.
 *
 * @param timeout Seconds for each batch
 */
export function createDatabase(
  driver: Driver,
  syntax: DialectSyntax,
  prefix: string,
  timeout: number | undefined,
): Database {
  const render = ({ sql, params }: Statement): Statement => {
    let n = 0
    const text = sql.replaceAll(TOKENS, (token) => {
      if (token === '#') return prefix
      return token === '?' ? syntax.placeholder(++n) : token
    })
    return { sql: text, params }
  }
  const run: RunBatch = (...statements) => runWithRetry(driver, statements.map(render), timeout)
  return {
    syntax,
    lock: raw(syntax.lock),
    run,
    runUnlimited: (...statements) => runWithRetry(driver, statements.map(render)),
    queryRows: async (statement) => (await run(statement))[0]?.rows ?? [],
    runChange: async (...statements) => (await run(...statements)).at(-1)?.affected === 1,
    catchUniqueViolation: async (work) => {
      try {
        return await work
      } catch (error) {
        if (driver.isUniqueViolation(error)) return undefined
        throw error
      }
    },
  }
}
