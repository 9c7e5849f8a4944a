import type { SqlStorage } from '@latchkey/storage-sql'

/** Rows of each table at a time, and times: 40 statements; the free plan allows 50 per run. */
const ROWS = 1000
const TIMES = 10

/** Deletes what has expired. What is left over is for the next run. */
export async function sweep({ sweep: sweepSome }: Pick<SqlStorage, 'sweep'>): Promise<void> {
  for (let i = 0; i < TIMES; i++) {
    // One after the other, because each finds what the one before has left.
    if ((await sweepSome(undefined, ROWS)) < ROWS) return
  }
}
