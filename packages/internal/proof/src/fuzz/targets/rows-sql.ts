import { DatabaseSync } from 'node:sqlite'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { drawRowsCase, runRowsCase } from '../rows-service.ts'
import type { AlteredStorage, RowsCase } from '../rows-service.ts'
import { defineTarget } from '../target.ts'
import type { Target } from '../target.ts'

/** Rows of an SQL database, with other types, null, missing columns and corrupt JSON. */
export const target: Target = defineTarget<RowsCase>({
  name: 'rows-sql',
  draw: drawRowsCase,
  open: async () => ({ run: (given) => runRowsCase(given, open) }),
})

async function open(alter: (answer: unknown) => unknown): Promise<AlteredStorage> {
  const database = new DatabaseSync(':memory:')
  const storage = nodeSqliteStorage(
    {
      exec: (text) => database.exec(text),
      close: () => database.close(),
      prepare(text) {
        const statement = database.prepare(text)
        return {
          all: (...values) => alter(statement.all(...values)) as unknown[],
          run: (...values) => statement.run(...values),
        }
      },
    },
    { factors: sqlFactors() },
  )
  await storage.migrate()
  return { storage, close: async () => database.close() }
}
