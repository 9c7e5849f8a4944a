import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigurationError } from '@latchkey/core'
import { sqlite } from './dialects.ts'
import { createPrivateFile, restrictDatabase } from './file-mode.ts'
import { isSkipped } from './inspection.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'
import { checkDatabase, createSyncDriver } from './sqlite.ts'
import type { SyncDatabase } from './sqlite.ts'

/**
 * Creates a storage in SQLite through the client that is part of Node: it needs no server and no
 * package. A database given by its path is opened by {@link openSqlite}; `close()` closes it.
 *
 * @example
 *   import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
 *
 *   const storage = nodeSqliteStorage('./latchkey.sqlite')
 *   await storage.migrate()
 *
 * @param database The path of a file, which is created if it does not exist; `:memory:`; or a
 *   `DatabaseSync`, whose settings stay as they are. The application must not keep a transaction
 *   open on it across an `await`
 *
 * @throws ConfigurationError `prefix`, `fields`, or `database` if it is neither, or the file cannot be opened
 */
export function nodeSqliteStorage<Fields = unknown>(
  database: string | SyncDatabase,
  options?: SqlStorageOptions<Fields>,
): SqlStorage<Fields> {
  if (typeof database !== 'string') {
    checkDatabase(database, 'the path of a file, or a DatabaseSync')
    return createStorage(createSyncDriver(database), sqlite, options)
  }
  const opened = openSqlite(database)
  const close = async (): Promise<void> => opened.close()
  return createStorage({ ...createSyncDriver(opened), close }, sqlite, options)
}

/**
 * Opens an SQLite file as {@link nodeSqliteStorage} does, for an application that has its own tables in
 * it. WAL mode with `synchronous = FULL` lets a committed write survive a crash of the process and a loss
 * of power. Only the owner of the file may read it, because it has the tokens of users: a new file gets the
 * mode 0600, and so does an existing one that every user could read, with its `-wal` and `-shm`.
 *
 * @param path The path of a file, which is created if it does not exist; or `:memory:`
 *
 * @example
 *   import { nodeSqliteStorage, openSqlite } from '@latchkey/storage-sql/node-sqlite'
 *
 *   const database = openSqlite('./app.sqlite')
 *   const storage = nodeSqliteStorage(database)
 *
 * @throws ConfigurationError `database` if the path is empty or a URL, which is not repeated, or the file
 *   cannot be opened
 */
export function openSqlite(path: string): DatabaseSync {
  checkPath(path)
  // SQLite creates the file of a `file:` URL; its mode is set below.
  const isPath = path !== ':memory:' && !path.startsWith('file:')
  const isNew = isPath && !existsSync(path) && existsSync(dirname(path))
  if (isNew && isSkipped('createFile')) return openSqlite(':memory:')
  try {
    if (isPath) createPrivateFile(path)
    const database = configure(new DatabaseSync(path))
    const file = database.prepare('PRAGMA database_list').get()?.['file']
    if (typeof file === 'string' && file !== '') restrictDatabase(file)
    return database
  } catch (error) {
    throw pathError(
      `${describePath(path)} (${error instanceof Error ? error.message : String(error)})`,
    )
  }
}

/** Databases that have URLs, and the entry of this package for each. */
const entries: readonly (readonly [scheme: RegExp, entry: string])[] = [
  [/^postgres(ql)?:/i, 'pg'],
  [/^(mysql|mariadb):/i, 'mysql2'],
  [/^(libsql|https?|wss?):/i, 'libsql'],
]

/**
 * Checks that a path is not a URL, which SQLite would take for the name of a file. It is not repeated: it can
 * have a password.
 */
function checkPath(path: string): void {
  if (path === '')
    throw pathError('is empty: the environment variable is not set where this code runs')
  // `file:` is SQLite's own. A letter before the colon is a drive of Windows.
  if (!/^(?!file:)[a-z][\w+.-]+:|\bpassword=/i.test(path)) return
  const [, entry] = entries.find(([scheme]) => scheme.test(path)) ?? []
  const hint = entry === undefined ? '' : `: for this database use @latchkey/storage-sql/${entry}`
  throw pathError(`must be the path of an SQLite file, found a URL${hint}`)
}

function pathError(problem: string): ConfigurationError {
  return new ConfigurationError('database', problem)
}

/** SQLite names neither the path nor the folder in its errors. */
function describePath(path: string): string {
  const folder = dirname(path)
  return existsSync(folder)
    ? `the file ${path} must be an SQLite database that can be written`
    : `the folder ${folder} does not exist`
}

function configure(database: DatabaseSync): DatabaseSync {
  // First, because the switch to WAL may have to wait for another process that switches too.
  database.exec('PRAGMA busy_timeout = 5000')
  database.exec('PRAGMA journal_mode = WAL')
  // In WAL mode, NORMAL loses the last transactions if the power fails.
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA foreign_keys = ON')
  return database
}
