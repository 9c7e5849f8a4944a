import type { Database } from './database.ts'
import { createMigrationsTable, getMigrations } from './schema.ts'
import { raw, sql } from './sql.ts'

/** Applies the migrations that are not applied yet. */
export async function migrate({ syntax, run }: Database): Promise<void> {
  const lock = syntax.migrationLock === '' ? [] : [raw(syntax.migrationLock)]
  const table = createMigrationsTable(syntax).map(raw)
  const results = await run(...lock, ...table, sql`SELECT name FROM #migrations`)
  const applied = results.at(-1)?.rows.map((row) => row['name'])
  for (const { name, statements } of getMigrations(syntax)) {
    if (!applied?.includes(name)) await run(...lock, ...statements.map(raw))
  }
}
