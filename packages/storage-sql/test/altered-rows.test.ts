import { DatabaseSync } from 'node:sqlite'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { test } from 'vitest'
import { checkAlteredRows } from '../../core/test/support/altered-rows.ts'

test('whatever rows a database returns, the service answers as documented', async () => {
  await checkAlteredRows(async (alter) => {
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
  })
})
