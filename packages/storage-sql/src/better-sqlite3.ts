import { sqlite } from './dialects.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'
import { syncDriver } from './sqlite.ts'
import type { SyncDatabase } from './sqlite.ts'

/**
 * A storage in SQLite through better-sqlite3. The settings of the connection stay yours: for a file,
 * `journal_mode = WAL` and `synchronous = FULL` are wanted.
 *
 * @example
 *   import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
 *   import type { SyncDatabase } from '@latchkey/storage-sql/better-sqlite3'
 *
 *   declare const database: SyncDatabase // new Database('./latchkey.sqlite')
 *   const storage = betterSqlite3Storage(database)
 *
 * @param database A `Database`, with no transactions of yours that last longer than one turn of the
 *   event loop
 *
 * @throws ConfigurationError `prefix`
 */
export function betterSqlite3Storage(
  database: SyncDatabase,
  options?: SqlStorageOptions,
): SqlStorage {
  return createStorage(syncDriver(database), sqlite, options)
}

export type { SyncDatabase, SyncStatement } from './sqlite.ts'
