import type { Driver, Result, Row, Statement } from './driver.ts'
import { explainMissing } from './missing-migration.ts'
import { runWithRetry } from './retry.ts'
import type { SchemaSyntax } from './schema.ts'
import { raw } from './sql.ts'

/** A driver that adds the table prefix, the dialect's placeholders and retries. */
export interface Database {
  readonly syntax: SchemaSyntax
  /** The first part of the names of tables and indexes. */
  readonly prefix: string
  /** Ends a SELECT whose rows must not change until the end of the batch. */
  readonly lock: Statement
  /** Runs a batch as one transaction. */
  readonly run: RunBatch
  /** Runs a batch that may take longer than a request waits. */
  readonly runUnlimited: RunBatch
  /** Runs a batch like {@link Database.runUnlimited}, once. */
  readonly runOnce: RunBatch
  /** Returns whether a batch that failed may succeed if it is repeated. */
  readonly isTransient: (error: unknown) => boolean
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
  syntax: SchemaSyntax,
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
  const run: RunBatch = (...statements) =>
    runWithRetry(driver, statements.map(render), timeout).catch((error: unknown) => {
      throw explainMissing(error, prefix)
    })
  return {
    syntax,
    prefix,
    lock: raw(syntax.lock),
    run,
    runUnlimited: (...statements) => runWithRetry(driver, statements.map(render)),
    runOnce: (...statements) => driver.run(statements.map(render)),
    isTransient: (error) => driver.isTransient(error),
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
