import type { SqlStorage } from '@latchkey/storage-sql'
import type { GrowthDatabase } from './database.ts'
import { createFillStatements, tables } from './rows.ts'

/** A storage whose tables have so many rows each. */
export interface SizedStorage {
  readonly rows: number
  readonly prefix: string
  readonly storage: SqlStorage
  readonly drop: () => Promise<void>
}

/** Creates and fills the tables of one size, with their own prefix. */
export async function createSizedStorage(
  database: GrowthDatabase,
  rows: number,
): Promise<SizedStorage> {
  const { execute, toAnalyze, toNumbers } = database
  const prefix = `bench_${crypto.randomUUID().slice(0, 8)}_${rows}_`
  const storage = database.createStorage(prefix)
  await storage.migrate()
  const now = Math.floor(Date.now() / 1000)
  for (const insert of createFillStatements(prefix, toNumbers(rows), now)) await execute(insert)
  for (const table of tables) {
    const analyze = toAnalyze(prefix + table)
    if (analyze !== undefined) await execute(analyze)
  }
  return { rows, prefix, storage, drop: () => dropTables(database, prefix) }
}

/** Drops the tables; those that refer to the users first. */
async function dropTables({ execute }: GrowthDatabase, prefix: string): Promise<void> {
  for (const table of ['migrations', ...tables.toReversed()]) {
    await execute(`DROP TABLE ${prefix}${table}`)
  }
}
