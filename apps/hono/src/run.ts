import { ConfigurationError } from '@latchkey/core'

/**
 * Starts a program. A setting that cannot be used and an error of the system, such as a port that is
 * taken, are printed without a stack trace, and the process exits with 1.
 */
export async function run(start: () => Promise<void>): Promise<void> {
  try {
    await start()
  } catch (thrown) {
    console.error(isFixable(thrown) ? thrown.message : thrown)
    process.exit(1)
  }
}

/** Returns whether the operator can fix the cause of an error. */
function isFixable(thrown: unknown): thrown is Error {
  return thrown instanceof ConfigurationError || (thrown instanceof Error && 'syscall' in thrown)
}
