import type { Clock } from '../ports/runtime.ts'

/** How a caller waits for the task of another caller. */
export interface Waiting extends Pick<Clock, 'monotonic'> {
  /** Waits for some milliseconds; it may reject, and the caller then runs nothing. */
  readonly sleep: (milliseconds: number) => Promise<void>
}

/** Runs a task, or waits for the same task of another caller. */
export type ShareTask<T> = (task: () => Promise<T>, waiting: Waiting) => Promise<T>

/** Milliseconds after which a run counts as lost, and another caller runs the task, by default. */
const LEASE = 5000
/** Milliseconds until a waiting caller looks at the outcome; each further look takes twice as long. */
const MIN_PAUSE = 10
const MAX_PAUSE = 160

interface Run<T> {
  /** Milliseconds of the monotonic clock. */
  readonly startedAt: number
  outcome?: { readonly value: T } | { readonly error: unknown }
}

/**
 * Creates a function that runs one task at a time for all concurrent callers: each gets its outcome.
 *
 * Callers that wait look at the outcome at intervals, and do not await the promise of the caller that
 * runs the task. On Workers a promise belongs to the request that created it, and never settles if that
 * request is cancelled: after `lease` one of the waiting callers runs the task again.
 *
 * @param lease Milliseconds. Default: 5,000
 */
export function createSharedTask<T>(lease: number = LEASE): ShareTask<T> {
  let current: Run<T> | undefined
  const lead = async (task: () => Promise<T>, startedAt: number): Promise<T> => {
    const run: Run<T> = { startedAt }
    current = run
    try {
      const value = await task()
      run.outcome = { value }
      return value
    } catch (error) {
      run.outcome = { error }
      throw error
    } finally {
      if (current === run) current = undefined
    }
  }
  return async (task, waiting) => {
    for (let run = current; run; run = current) {
      const outcome = await waitForOutcome(run, waiting, lease)
      if (outcome && 'value' in outcome) return outcome.value
      if (outcome) throw outcome.error
      if (current === run) break // The first caller to see that the run is lost replaces it.
    }
    return lead(task, waiting.monotonic())
  }
}

/** Returns the outcome of a run; undefined if the run is lost. */
async function waitForOutcome<T>(
  run: Run<T>,
  { monotonic, sleep }: Waiting,
  lease: number,
): Promise<Run<T>['outcome']> {
  let pause = MIN_PAUSE
  while (!run.outcome && monotonic() - run.startedAt < lease) {
    await sleep(pause)
    pause = Math.min(2 * pause, MAX_PAUSE)
  }
  return run.outcome
}
