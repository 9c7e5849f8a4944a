/** The clock of a soak. */
export interface SoakClock {
  /** Returns the time in seconds since 1970. */
  readonly now: () => number
  /** As {@link Runtime.schedule}. */
  readonly schedule: (milliseconds: number, callback: () => void) => () => void
  /** Lets the time between two rounds pass. */
  readonly pass: () => Promise<void>
}

/** Milliseconds up to which a wait is a random pause before an answer, and no time limit. */
const MAX_PAUSE = 50
/** Milliseconds between two rounds of the real clock. */
const REAL_ROUND = 20

/**
 * Creates a clock that advances in each round, so that everything that is kept for a time expires during the run. Random
 * pauses take no time, and time limits are real.
 *
 * @param round Seconds by which it advances
 */
export function createVirtualClock(round: number): SoakClock {
  let now = Math.floor(Date.now() / 1000)
  return {
    now: () => now,
    schedule: (milliseconds, callback) =>
      realClock.schedule(milliseconds > MAX_PAUSE ? milliseconds : 0, callback),
    async pass() {
      now += round
    },
  }
}

/** The clock of the machine. */
export const realClock: SoakClock = {
  now: () => Math.floor(Date.now() / 1000),
  schedule(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
  pass: () => new Promise((resolve) => setTimeout(resolve, REAL_ROUND)),
}
