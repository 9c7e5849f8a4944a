import type { Database } from '@latchkey/node/database'
import type { Log } from './log.ts'

/** Milliseconds between two batches, in which requests get their turn. */
const PAUSE = 50

/** What {@link startSweeping} needs besides the database. */
interface SweepingOptions {
  /** Seconds between two sweeps; 0 for none. */
  readonly interval: number
  readonly log: Log
}

/**
 * Deletes expired rows periodically. The first sweep begins after a random part of the interval, so that
 * processes that start together do not sweep together.
 *
 * @returns A function that ends it after the transaction in progress
 */
export function startSweeping(
  { sweep }: Pick<Database, 'sweep'>,
  { interval, log }: SweepingOptions,
): () => Promise<void> {
  if (!sweep || interval === 0) return async () => undefined
  const controller = new AbortController()
  const { signal } = controller
  let sweeping: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const schedule = (seconds: number): void => {
    if (!signal.aborted) timer = setTimeout(() => void (sweeping = run()), seconds * 1000).unref()
  }
  const run = async (): Promise<void> => {
    try {
      const deleted = await sweep({ pause: PAUSE, signal })
      log[deleted > 0 ? 'info' : 'debug'](`${deleted} expired rows were deleted`)
    } catch (thrown) {
      log.warn('expired rows could not be deleted', { causes: [String(thrown)] })
    }
    schedule(interval)
  }
  schedule(Math.random() * interval)
  return async () => {
    controller.abort()
    clearTimeout(timer)
    await sweeping
  }
}
