import { AuthError } from '../lib/errors.ts'

/** Spaces out requests that keep failing. Times are seconds since 1970. */
export interface BackOff {
  /** @throws AuthError `Unavailable` in the pause after a failure */
  readonly checkReady: (now: number) => void
  /** Records a failure. */
  readonly fail: (now: number, cause: unknown) => void
  /** Forgets all failures, after a success. */
  readonly reset: () => void
}

/** Failures in a row without a pause, so that one failure does not affect the next sign-in (I-24). */
const TOLERATED = 5
/** Seconds. */
const MAX_PAUSE = 60

/**
 * Creates a {@link BackOff}. After the sixth failure in a row it pauses for one second, after each
 * further failure for twice as long, at most a minute.
 *
 * @param what What fails, for the log
 */
export function createBackOff(what: string): BackOff {
  let failures = 0
  let failedAt = 0
  let cause: unknown
  return {
    checkReady(now) {
      if (failures <= TOLERATED) return
      const pause = Math.min(2 ** (failures - TOLERATED - 1), MAX_PAUSE)
      const rest = failedAt + pause - now
      // More than the pause: the clock was set back.
      if (rest <= 0 || rest > pause) return
      const retryAfter = Math.ceil(rest)
      const message = `${what} failed ${failures} times in a row: paused for ${retryAfter} seconds`
      throw new AuthError('Unavailable', message, { cause, retryAfter })
    },
    fail(now, thrown) {
      failures++
      failedAt = now
      cause = thrown
    },
    reset() {
      failures = 0
      cause = undefined
    },
  }
}
