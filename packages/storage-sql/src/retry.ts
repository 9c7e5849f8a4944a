import type { Driver, Result, Statement } from './driver.ts'

/** The waits between so many attempts add up to about one second on average. */
const MAX_ATTEMPTS = 9

/**
 * Runs a batch, and repeats it after a transient error such as a deadlock. That is safe, because a
 * batch that fails has changed nothing.
 */
export async function runWithRetry(
  driver: Driver,
  statements: readonly Statement[],
  timeout?: number,
): Promise<readonly Result[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await driver.run(statements, timeout)
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !driver.isTransient(error)) throw error
    }
    // Jitter avoids repeated deadlocks.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** (attempt + 2)))
  }
}
