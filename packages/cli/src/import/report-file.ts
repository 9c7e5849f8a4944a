import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import type { RefusedUser } from '@latchkey/passwords/import-users'
import { isObject } from '../lib/members.ts'
import { CliError, describeThrown, UsageError } from '../lib/cli-error.ts'

/** The file that lists the refused rows. It has email addresses: only its owner may read it. */
export interface ReportFile {
  readonly name: string
  readonly write: (refused: RefusedUser) => void
  /** Closes the file, and deletes it if nothing was written. */
  readonly close: () => void
}

const PRIVATE = 0o600
/** Another import can create its file between the two steps. */
const MAX_ATTEMPTS = 5

/**
 * Creates the file.
 *
 * @param replaces Whether a previous file of this name is deleted: never one that the command line names
 * @throws UsageError if it exists; CliError if it cannot be written
 */
export function createReportFile(path: string, name: string, replaces: boolean): ReportFile {
  const file = open(path, name, replaces ? MAX_ATTEMPTS : 0)
  let rows = 0
  return {
    name,
    write({ row, email, reason, member, problem }) {
      rows += 1
      writeSync(file, `${JSON.stringify({ row, email, reason, member, problem })}\n`)
    },
    close() {
      closeSync(file)
      if (rows === 0) rmSync(path, { force: true })
    },
  }
}

/**
 * Follows no symbolic link of another user, because the file must not exist.
 *
 * @param removals How often a file of this name is deleted
 */
function open(path: string, name: string, removals: number): number {
  if (removals > 0) rmSync(path, { force: true })
  try {
    return openSync(path, 'wx', PRIVATE)
  } catch (thrown) {
    const exists = isObject(thrown) && thrown['code'] === 'EEXIST'
    if (exists && removals > 0) return open(path, name, removals - 1)
    if (exists) throw new UsageError(`${name} exists: name another file with --report`)
    throw new CliError(`the refused rows cannot be written: ${describeThrown(thrown)}`)
  }
}
