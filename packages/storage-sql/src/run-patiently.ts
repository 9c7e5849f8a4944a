import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { sleep } from './sleep.ts'
import { raw } from './sql.ts'

/** Attempts to get a lock, over about two minutes. */
export const MAX_ATTEMPTS = 100

/** Runs statements that lock a table or rows, again and again until they get the lock. */
export async function runPatiently(
  database: Database,
  ...statements: readonly Statement[]
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runLimited(database, ...statements)
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !database.isTransient(error)) throw error
      await pause()
    }
  }
}

/** Runs statements that fail if they wait for a lock: later writers would wait behind them. */
export async function runLimited(
  { syntax, runOnce }: Database,
  ...statements: readonly Statement[]
): Promise<void> {
  const limits = syntax.online?.limitLockWait ?? []
  await runOnce(...limits.map(raw), ...statements)
}

/** Lets the writers go first that have waited meanwhile. */
export function pause(): Promise<void> {
  return sleep(500 + Math.random() * 1000)
}
