import type { Database } from './database.ts'
import { migrations, migrationsTable } from './schema.ts'
import { raw, sql } from './sql.ts'

/** Applies the migrations that have not been applied yet. */
export async function migrate({ dialect, run }: Database): Promise<void> {
  const lock = dialect.migrationLock === '' ? [] : [raw(dialect.migrationLock)]
  const table = raw(migrationsTable(dialect))
  const results = await run(...lock, table, sql`SELECT name FROM #migrations`)
  const applied = results.at(-1)?.rows.map((row) => row['name'])
  for (const { name, statements } of migrations(dialect)) {
    if (!applied?.includes(name)) await run(...lock, ...statements.map(raw))
  }
}
