import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { raw, sql } from './sql.ts'

/** Deletes what has expired. */
export interface Sweeper {
  /** As `SqlStorage` has it. */
  readonly sweep: (now?: number, limit?: number) => Promise<number>
  /** Sweeps at times, after a write. It never rejects: the write has been done. */
  readonly sweepSometimes: (now: number) => Promise<void>
}

/** One of so many writes sweeps. Each row has taken one write, so a hundred at a time are enough. */
const SWEEP_EVERY = 50

const tables = [
  ['#sessions', 'id'],
  ['#verification_tokens', '(identifier, token)'],
  ['#counters', 'id'],
] as const

/** The sweeper of a storage. */
export function createSweeper({ dialect, run }: Database): Sweeper {
  const deletion = (table: string, key: string, now: number, limit: number): Statement => {
    const some = sql`FROM ${raw(table)} WHERE expires <= ${now}`
    const few = raw(`ORDER BY expires LIMIT ${limit}`)
    if (dialect.deletesWithLimit) return sql`DELETE ${some} ${few}`
    // The time is compared twice, because a session may be renewed between the two.
    return sql`DELETE ${some} AND ${raw(key)} IN (SELECT ${raw(key.replaceAll(/[()]/g, ''))} ${some} ${few})`
  }
  const sweep: Sweeper['sweep'] = async (now = Math.floor(Date.now() / 1000), limit = 100) => {
    const results = await run(...tables.map(([table, key]) => deletion(table, key, now, limit)))
    return results.reduce((sum, { affected }) => sum + affected, 0)
  }
  return {
    sweep,
    // By chance and not by count, because a Worker may not live for as long as fifty writes.
    async sweepSometimes(now) {
      if (Math.random() * SWEEP_EVERY < 1) await sweep(now).catch(() => undefined)
    },
  }
}
