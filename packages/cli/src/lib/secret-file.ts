import { chmodSync, statSync } from 'node:fs'
import { CliError, describeThrown } from './cli-error.ts'
import { report } from './terminal.ts'

/** The mode of a file that only its owner may read and write. */
const PRIVATE = 0o600
const OTHER_USERS = 0o007

/**
 * Restricts a file of secrets to its owner if every user can access it, and says so. A
 * secret is written afterwards. Group access without access for others stays: it was given on purpose.
 *
 * @param dryRun Says what would happen, and changes nothing
 * @throws CliError if the file is another user's
 */
export function restrictSecretFile(file: string, name: string, dryRun: boolean = false): void {
  if (!isOpenToAll(file)) return
  if (dryRun) return report(`${name} can be read by every user: its mode would become 0600`)
  try {
    chmodSync(file, PRIVATE)
  } catch (thrown) {
    throw new CliError(`${name} can be read by every user (${describeThrown(thrown)}): chmod 600`)
  }
  report(`${name} could be read by every user: its mode is 0600 now, only its owner can read it`)
}

/** Windows has no such modes. */
function isOpenToAll(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false })
  return process.platform !== 'win32' && stat !== undefined && (stat.mode & OTHER_USERS) !== 0
}
