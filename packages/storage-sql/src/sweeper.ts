import type { Database } from './database.ts'
import type { ExpiredRows } from './dialects.ts'
import type { Statement } from './driver.ts'
import { MissingTableError } from './missing-migration.ts'

/** Deletes expired rows. */
export interface Sweeper {
  /** See `SqlStorage.sweep`. */
  readonly sweep: (now: number, limit: number) => Promise<number>
  /** Sweeps after some of the writes. It never rejects, because the write has succeeded. */
  readonly sweepSometimes: (now: number) => Promise<void>
}

/** One in so many writes sweeps. Each row took one write, so 100 rows per table keep pace. */
const WRITES_PER_SWEEP = 50

/** Expired rows of a table that an option adds, which a new row deletes: each row took one write. */
export const SWEPT = 10

/** Seconds after which a sweep deletes an expired event: until then an outbox deletes and logs it. */
const EVENT_DELAY = 86_400

/** The tables whose rows expire, each with its primary key, and the seconds that an expired row is kept. */
const tables = [
  { table: '#sessions', key: ['id'], delay: 0 },
  { table: '#verification_tokens', key: ['identifier', 'token'], delay: 0 },
  { table: '#counters', key: ['id'], delay: 0 },
  { table: '#revocations', key: ['id'], delay: 0 },
  { table: '#events', key: ['id'], delay: EVENT_DELAY },
]

/** Creates the sweeper of a storage. Several sweepers do not wait for each other. */
export function createSweeper({ syntax, run, runUnlimited }: Database): Sweeper {
  const sweepAll = (now: number, limit: number): Statement[] =>
    tables.map(({ delay, ...rows }) => syntax.deleteExpired({ ...rows, now: now - delay, limit }))
  return {
    async sweep(now, limit) {
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

/**
 * Deletes expired rows of a table that an option adds, and returns their number: none if the table is not created yet, so
 * that other tables are swept.
 */
export async function sweepOptional(
  { run, syntax }: Database,
  expired: ExpiredRows,
): Promise<number> {
  try {
    const [result] = await run(syntax.deleteExpired(expired))
    return result?.affected ?? 0
  } catch (error) {
    if (error instanceof MissingTableError) return 0
    throw error
  }
}
