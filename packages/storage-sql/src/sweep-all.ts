import type { SqlStorage } from './storage.ts'

/** The options of {@link sweepAll}. */
export interface SweepOptions {
  /** Seconds since 1970: rows that expired until then are deleted. Default: the current time */
  readonly now?: number
  /** The maximum number of rows to delete from each table in one transaction. Default: 1000 */
  readonly batch?: number
  /** Milliseconds between two transactions, in which others get their turn. Default: 0 */
  readonly pause?: number
  /** Ends the sweep after the transaction in progress. Default: none */
  readonly signal?: AbortSignal
}

/**
 * Deletes all expired rows in batches, as a scheduled job does. Several processes may sweep at the same
 * time: in PostgreSQL, MariaDB and MySQL each leaves out the rows that another one deletes.
 *
 * @returns The number of deleted rows
 *
 * @example
 *   import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
 *   import { sweepAll } from '@latchkey/storage-sql/sweep'
 *
 *   const storage = nodeSqliteStorage('./latchkey.sqlite')
 *   const deleted = await sweepAll(storage, { batch: 500, pause: 100 })
 *
 * @throws Error of the database client
 */
export async function sweepAll(
  storage: Pick<SqlStorage, 'sweep'>,
  { now = Math.floor(Date.now() / 1000), batch = 1000, pause = 0, signal }: SweepOptions = {},
): Promise<number> {
  let total = 0
  for (;;) {
    if (signal?.aborted) return total
    const deleted = await storage.sweep(now, batch)
    total += deleted
    // Fewer rows than one table may have lost: no table has another one.
    if (deleted < batch) return total
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
