import type { Runtime } from '@latchkey/core'

/** Milliseconds. */
const LONGEST = 50

/**
 * Creates a function that waits for a random time of less than 50 milliseconds: it hides the microseconds by which a storage
 * finds a row sooner or later than that there is no row.
 */
export function createPause({
  monotonic,
  schedule,
  random,
}: Pick<Runtime, 'monotonic' | 'schedule' | 'random'>): () => Promise<void> {
  const start = monotonic()
  return async () => {
    // The clock of a test stands still, and would never call.
    if (monotonic() === start) return
    const [byte = 0] = random(1)
    await new Promise<void>((resolve) => void schedule(byte % LONGEST, resolve))
  }
}
