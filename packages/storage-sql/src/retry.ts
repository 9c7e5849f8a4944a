import type { Driver, Result, Statement } from './driver.ts'
import { sleep } from './sleep.ts'

/** The waits between so many attempts add up to about one second on average. */
const MAX_ATTEMPTS = 9

/**
 * Runs a batch, and repeats it after a transient error such as a deadlock. That is safe, because a
 * batch that fails has changed nothing.
 *
 * @param timeout Seconds for all attempts together. Default: none
 */
export async function runWithRetry(
  driver: Driver,
  statements: readonly Statement[],
  timeout?: number,
): Promise<readonly Result[]> {
  const startedAt = performance.now()
  const getTimeLeft = (): number | undefined =>
    timeout === undefined ? undefined : timeout - (performance.now() - startedAt) / 1000
  for (let attempt = 1, timeLeft = timeout; ; attempt++) {
    try {
      return await driver.run(statements, timeLeft)
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !driver.isTransient(error)) throw error
      // Jitter avoids repeated deadlocks.
      await sleep(Math.random() * 2 ** (attempt + 2))
      timeLeft = getTimeLeft()
      if (timeLeft !== undefined && timeLeft <= 0) throw error
    }
  }
}
