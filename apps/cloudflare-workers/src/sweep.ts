import type { SqlStorage } from '@latchkey/storage-sql'

/** Rows of each table in one batch. */
const ROWS = 1000
/** Batches in one run: 40 statements, of the 50 that the free plan allows. */
const BATCHES = 10

/** Deletes expired rows. The next run deletes what is left. */
export async function sweep({ sweep: sweepBatch }: Pick<SqlStorage, 'sweep'>): Promise<void> {
  for (let i = 0; i < BATCHES; i++) {
    // In sequence, because each batch begins after the rows of the one before.
    if ((await sweepBatch(undefined, ROWS)) < ROWS) return
  }
}
