import type { Storage } from '@latchkey/core'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'

/** A storage of one world. */
export interface OpenedStorage {
  readonly storage: Storage
  readonly close: () => Promise<void>
}

/** Creates a storage in an SQLite database in memory. */
export async function createSqliteStorage(): Promise<OpenedStorage> {
  const storage = nodeSqliteStorage(':memory:', { factors: sqlFactors() })
  await storage.migrate()
  return { storage, close: () => storage.close() }
}
