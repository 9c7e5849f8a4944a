/** The storages of a soak, whose rows can be counted. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { nodeSqliteStorage, openSqlite } from '@latchkey/storage-sql/node-sqlite'

/** A storage, and what is left in it. */
export interface SoakStorage {
  readonly storage: Storage
  /** Returns the number of rows that belong to users, by table. */
  readonly countRows: () => Promise<Readonly<Record<string, number>>>
  readonly close: () => void
}

/** Creates a storage in this process. Of its rows only the users can be counted. */
export async function createMemory(): Promise<SoakStorage> {
  const storage = memoryStorage()
  return {
    storage,
    countRows: async () => ({ users: (await storage.listUsers?.(1000))?.length ?? 0 }),
    close: () => undefined,
  }
}

/** Tables whose rows belong to users. Others expire. */
const tables = ['users', 'accounts', 'sessions', 'factors'] as const

/** Creates a storage in an SQLite file. */
export async function createSqlite(): Promise<SoakStorage> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-soak-'))
  const database = openSqlite(join(folder, 'soak.sqlite'))
  // What is measured are requests, and not the disk.
  database.exec('PRAGMA synchronous = OFF')
  const storage = nodeSqliteStorage(database, { factors: sqlFactors() })
  await storage.migrate()
  const count = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS count FROM latchkey_${table}`).get()?.['count'])
  return {
    storage,
    countRows: async () => Object.fromEntries(tables.map((table) => [table, count(table)])),
    close() {
      database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
