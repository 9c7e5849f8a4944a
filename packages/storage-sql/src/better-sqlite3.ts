import { sqlite } from './dialects.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'
import { checkDatabase, createSyncDriver } from './sqlite.ts'
import type { SyncDatabase } from './sqlite.ts'

/**
 * Creates a storage in SQLite through better-sqlite3. It does not change the settings of the
 * connection: for a file, set `journal_mode = WAL` and `synchronous = FULL`.
 *
 * @example
 *   import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
 *   import type { SyncDatabase } from '@latchkey/storage-sql/better-sqlite3'
 *
 *   declare const database: SyncDatabase // new Database('./latchkey.sqlite')
 *   const storage = betterSqlite3Storage(database)
 *
 * @param database A `Database`. The application must not keep a transaction open on it across an
 *   `await`
 *
 * @throws ConfigurationError `prefix`, `fields`, or `database` if it is not a `Database`
 */
export function betterSqlite3Storage<Fields = unknown>(
  database: SyncDatabase,
  options?: SqlStorageOptions<Fields>,
): SqlStorage<Fields> {
  checkDatabase(database, 'a Database of better-sqlite3')
  return createStorage(createSyncDriver(database), sqlite, options)
}

export type { SyncDatabase, SyncStatement } from './sqlite.ts'
