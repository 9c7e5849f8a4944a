import type { Database } from './database.ts'
import { createMigrationsTable, getMigrations } from './schema.ts'
import type { Addition } from './schema.ts'
import { raw, sql } from './sql.ts'

/** Applies the migrations that are not applied yet. */
export async function migrate(database: Database): Promise<void> {
  const { syntax, runUnlimited: run } = database
  const lock = syntax.migrationLock === '' ? [] : [raw(syntax.migrationLock)]
  const table = createMigrationsTable(syntax).map(raw)
  const results = await run(...lock, ...table, sql`SELECT name FROM #migrations`)
  const applied = results.at(-1)?.rows.map((row) => row['name'])
  for (const { name, additions, statements } of getMigrations(syntax)) {
    if (applied?.includes(name)) continue
    for (const addition of additions) await addColumns(database, addition)
    await run(...lock, ...statements.map(raw))
  }
}

/** Adds columns, unless an interrupted or a concurrent migration has added them. */
async function addColumns(
  { runUnlimited: run }: Database,
  { table, column, sql: text }: Addition,
): Promise<void> {
  try {
    await run(raw(text))
  } catch (error) {
    await run(raw(`SELECT ${column} FROM ${table} WHERE 1 = 0`)).catch(() => {
      throw error
    })
  }
}
