import { DatabaseSync } from 'node:sqlite'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import type { SqlStorage } from '@latchkey/storage-sql'

type Row = Readonly<Record<string, unknown>>

/** Opens a storage in memory, whose rows pass through a function when they are read. */
export async function openAltered(alter: (rows: readonly Row[]) => unknown): Promise<SqlStorage> {
  const database = new DatabaseSync(':memory:')
  const storage = nodeSqliteStorage({
    exec: (text) => database.exec(text),
    close: () => database.close(),
    prepare(text) {
      const statement = database.prepare(text)
      return {
        all: (...values) => alter(statement.all(...values)) as unknown[],
        run: (...values) => statement.run(...values),
      }
    },
  })
  await storage.migrate()
  return storage
}
