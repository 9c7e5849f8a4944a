import { DatabaseSync } from 'node:sqlite'
import { sqlite } from './dialects.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'
import { syncDriver } from './sqlite.ts'
import type { SyncDatabase } from './sqlite.ts'

/**
 * A storage in SQLite, with the client that Node has built in: it needs neither a server nor a
 * package. A database given by its path is opened so that what a verb has resolved with survives the
 * process, the system and the power: WAL with `synchronous = FULL`. `close()` closes it.
 *
 * @example
 *   import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
 *
 *   const storage = nodeSqliteStorage('./latchkey.sqlite')
 *   await storage.migrate()
 *
 * @param database The path of a file, made where it is not there; `:memory:`; or a `DatabaseSync` of
 *   yours, with the settings that you gave it, and with no transactions of yours that last longer
 *   than one turn of the event loop
 *
 * @throws ConfigurationError `prefix`
 * @throws Error of `node:sqlite` where the file cannot be opened
 */
export function nodeSqliteStorage(
  database: string | SyncDatabase,
  options?: SqlStorageOptions,
): SqlStorage {
  if (typeof database !== 'string') return createStorage(syncDriver(database), sqlite, options)
  const opened = open(database)
  const close = async (): Promise<void> => opened.close()
  return createStorage({ ...syncDriver(opened), close }, sqlite, options)
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  // The waiting first: whoever switches to WAL may have to wait for another who does.
  database.exec('PRAGMA busy_timeout = 5000')
  database.exec('PRAGMA journal_mode = WAL')
  // In WAL, NORMAL would lose what was written last when the power fails.
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA foreign_keys = ON')
  return database
}
