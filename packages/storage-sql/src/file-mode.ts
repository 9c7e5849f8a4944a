import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

/** The mode of a file that only its owner may read and write. */
const PRIVATE = 0o600
const OTHER_USERS = 0o007

/**
 * Creates the file of a database that only its owner may read, unless it exists. An existing file is
 * not opened: closing it would release the locks of other SQLite connections of this process.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE))
  } catch (thrown) {
    if (!hasCode(thrown, 'EEXIST')) throw thrown
  }
}

/**
 * Restricts a database to the owner of its files if every user can access one of them. Group
 * access without access for others stays: it is not a default, so it was given on purpose.
 */
export function restrictDatabase(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) restrict(file)
}

function restrict(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat || (stat.mode & OTHER_USERS) === 0) return
  try {
    chmodSync(file, PRIVATE)
  } catch (thrown) {
    // Only the owner of a file may change its mode; another process may have deleted -wal and -shm.
    if (!hasCode(thrown, 'EPERM') && !hasCode(thrown, 'ENOENT')) throw thrown
  }
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code
}
