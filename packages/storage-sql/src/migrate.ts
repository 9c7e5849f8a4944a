import type { Database } from './database.ts'
import type { Result } from './driver.ts'
import { createMigrationsTable, getMigrations } from './schema.ts'
import type { Addition } from './schema.ts'
import { raw, sql } from './sql.ts'

/**
 * Applies the migrations that are not applied yet.
 *
 * @param fields The columns of the application's own fields, added if they are missing
 */
export async function migrate(database: Database, fields: readonly Addition[]): Promise<void> {
  const { syntax, runUnlimited: run } = database
  const lock = syntax.migrationLock === '' ? [] : [raw(syntax.migrationLock)]
  const table = createMigrationsTable(syntax).map(raw)
  const results = await run(...lock, ...table, sql`SELECT name FROM #migrations`)
  const applied = getNames(results)
  for (const { name, additions, statements } of getMigrations(syntax)) {
    if (applied?.includes(name)) continue
    for (const addition of additions) await addColumns(database, addition)
    await run(...lock, ...statements.map(raw))
  }
  const [first] = fields
  const column = fields.map((field) => field.column).join(', ')
  if (!first || (await hasColumn(database, { ...first, column }))) return
  for (const field of fields) await addColumns(database, field)
}

/** Returns the names of the migrations that are not applied yet. */
export async function listPendingMigrations({
  syntax,
  runUnlimited: run,
}: Database): Promise<readonly string[]> {
  // Without the table, one name that no migration has; without a database, the error says so.
  const results = await run(sql`SELECT name FROM #migrations`).catch(() =>
    run(raw('SELECT 1 AS name')),
  )
  const applied = getNames(results)
  return getMigrations(syntax).flatMap(({ name }) => (applied?.includes(name) ? [] : name))
}

/** Returns the names in the last result. */
function getNames(results: readonly Result[]): readonly unknown[] | undefined {
  return results.at(-1)?.rows.map((row) => row['name'])
}

/** Adds columns, unless an interrupted or a concurrent migration has added them. */
async function addColumns(database: Database, addition: Addition): Promise<void> {
  try {
    await database.runUnlimited(raw(addition.sql))
  } catch (error) {
    if (!(await hasColumn(database, addition))) throw error
  }
}

/** Returns whether a column exists; false too if the database fails, so that the next statement says why. */
async function hasColumn(
  { runUnlimited: run }: Database,
  { table, column }: Addition,
): Promise<boolean> {
  return run(raw(`SELECT ${column} FROM ${table} WHERE 1 = 0`)).then(
    () => true,
    () => false,
  )
}
