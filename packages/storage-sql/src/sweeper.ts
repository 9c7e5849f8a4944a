import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { raw, sql } from './sql.ts'

/** Deletes expired rows. */
export interface Sweeper {
  /** See `SqlStorage.sweep`. */
  readonly sweep: (now?: number, limit?: number) => Promise<number>
  /** Sweeps after some of the writes. It never rejects, because the write has succeeded. */
  readonly sweepSometimes: (now: number) => Promise<void>
}

/** One in so many writes sweeps. Each row took one write, so 100 rows per table keep pace. */
const WRITES_PER_SWEEP = 50

/** The tables whose rows expire, each with its primary key. */
const tables = [
  ['#sessions', 'id'],
  ['#verification_tokens', '(identifier, token)'],
  ['#counters', 'id'],
  ['#revocations', 'id'],
] as const

/** Creates the sweeper of a storage. */
export function createSweeper({ syntax, run, runUnlimited }: Database): Sweeper {
  const deleteExpired = (table: string, key: string, now: number, limit: number): Statement => {
    const expired = sql`FROM ${raw(table)} WHERE expires <= ${now}`
    const oldest = raw(`ORDER BY expires LIMIT ${limit}`)
    if (syntax.hasDeleteLimit) return sql`DELETE ${expired} ${oldest}`
    // The outer condition repeats the time, because a session may be renewed in between.
    return sql`DELETE ${expired} AND ${raw(key)} IN (SELECT ${raw(key.replaceAll(/[()]/g, ''))} ${expired} ${oldest})`
  }
  const sweepAll = (now: number, limit: number): Statement[] =>
    tables.map(([table, key]) => deleteExpired(table, key, now, limit))
  return {
    async sweep(now = Math.floor(Date.now() / 1000), limit = 100) {
      const results = await runUnlimited(...sweepAll(now, limit))
      return results.reduce((sum, { affected }) => sum + affected, 0)
    },
    // By chance and not by count, because a Worker may end before its fiftieth write.
    async sweepSometimes(now) {
      if (Math.random() * WRITES_PER_SWEEP < 1)
        await run(...sweepAll(now, 100)).catch(() => undefined)
    },
  }
}
