import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { ConfigurationError } from '@latchkey/core'
import { nodeSqliteStorage, openSqlite } from '@latchkey/storage-sql/node-sqlite'
import type { SqlStorage } from '@latchkey/storage-sql'
import { createNotes } from './notes.ts'
import type { Notes } from './notes.ts'

/** Users, sessions and notes in one SQLite file. */
export interface Database {
  readonly storage: SqlStorage
  readonly notes: Notes
  readonly close: () => void
}

const notesTable = new URL('../migrations/0002_notes.sql', import.meta.url)

/**
 * Opens the database, and creates missing tables.
 *
 * @param path The path of the file, or `:memory:`
 *
 * @throws ConfigurationError `DATABASE` if it cannot be opened
 */
export async function openDatabase(path: string): Promise<Database> {
  const database = openFile(path)
  const storage = nodeSqliteStorage(database)
  await storage.migrate()
  database.exec(readFileSync(notesTable, 'utf8'))
  return {
    storage,
    notes: createNotes(async (sql, ...params) => database.prepare(sql).all(...params)),
    close: () => database.close(),
  }
}

function openFile(path: string): DatabaseSync {
  try {
    return openSqlite(path)
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    throw new ConfigurationError('DATABASE', thrown.problem)
  }
}
