import type { Driver, Result, Statement } from './driver.ts'

/** How often a batch is tried in all: the waits between add up to about a second on average. */
const TRIES = 9

/**
 * Runs a batch, and again where it has met a deadlock or the like. A batch that fails has changed
 * nothing, so trying again is safe.
 */
export async function retried(
  driver: Driver,
  statements: readonly Statement[],
): Promise<readonly Result[]> {
  for (let tried = 1; ; tried++) {
    try {
      return await driver.run(statements)
    } catch (error) {
      if (tried === TRIES || !driver.isTransient(error)) throw error
    }
    // Two that have met once must not meet again: each waits for a time of its own.
    await new Promise((done) => setTimeout(done, Math.random() * 2 ** (tried + 2)))
  }
}
