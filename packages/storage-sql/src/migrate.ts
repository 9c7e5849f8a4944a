import { ConfigurationError } from '@latchkey/core'
import type { Database } from './database.ts'
import type { Result } from './driver.ts'
import { isSkipped } from './inspection.ts'
import type { Lease } from './lease.ts'
import type { Online } from './online.ts'
import { runPatiently } from './run-patiently.ts'
import { createMigrationsTable, getMigrations, renderIndex } from './schema.ts'
import type { Addition, Change, Steps } from './schema.ts'
import { joinValues, raw, sql } from './sql.ts'

/** Rows that one statement changes: a writer waits for it about a hundredth of a second. */
const BATCH = 500

/**
 * Applies the migrations that are not applied yet, while other processes use the tables.
 *
 * @param fields The columns of the application's own fields, added if they are missing
 * @param online What other processes need that use the tables meanwhile. Absent if the database has one writer
 */
export async function migrate(
  database: Database,
  fields: readonly Addition[],
  online?: Online,
): Promise<void> {
  if (isSkipped('migrate')) return
  while (!(await isComplete(database, fields))) {
    await checkRows(database)
    await createTables(database, createMigrationsTable(database.syntax))
    const work = (lease?: Lease): Promise<void> => applyPending(database, fields, { online, lease })
    if (!online) return work()
    for (const column of online.getLeaseColumns(database.syntax)) await addColumns(database, column)
    await online.withLease(database, work)
  }
}

/**
 * Checks that the client returns rows as it does by default: otherwise no migration would ever count as applied.
 *
 * @throws ConfigurationError `client`
 */
async function checkRows({ runUnlimited: run }: Database): Promise<void> {
  const [result] = await run(raw("SELECT 'Aa' AS latchkey_text, 12 AS latchkey_number"))
  const { latchkey_text: text, latchkey_number: number } = result?.rows[0] ?? {}
  if (text === 'Aa' && Number(number) === 12) return
  const options = 'transform (postgres.js), types (pg), returnArrays (node:sqlite)'
  const problem = 'must return rows with the names of columns, texts and numbers unchanged'
  throw new ConfigurationError('client', `${problem}; remove its option, such as ${options}`)
}

/**
 * Returns the names of the migrations that are not applied yet, and of the columns that the application's
 * own fields lack, such as `users.role`.
 */
export async function listPending(
  database: Database,
  fields: readonly Addition[],
): Promise<readonly string[]> {
  const pending = [...(await listPendingMigrations(database))]
  for (const field of fields) {
    // `#users` and a quoted column: the prefix and the quotation marks are left out.
    const name = `${field.table.slice(1)}.${field.column.slice(1, -1)}`
    if (!(await hasColumn(database, field))) pending.push(name)
  }
  return pending
}

async function listPendingMigrations(database: Database): Promise<readonly string[]> {
  const { syntax, runUnlimited: run } = database
  // Without the table, one name that no migration has; without a database, the error says so.
  const results = await run(sql`SELECT name FROM #migrations`).catch(() =>
    run(raw('SELECT 1 AS name')),
  )
  const applied = getNames(results)
  return getMigrations(syntax).flatMap(({ name }) => (applied?.includes(name) ? [] : name))
}

/** Returns whether every migration is applied, so that a process that starts changes and locks nothing. */
async function isComplete(database: Database, fields: readonly Addition[]): Promise<boolean> {
  if ((await listPendingMigrations(database)).length > 0) return false
  const [first] = fields
  const column = fields.map((field) => field.column).join(', ')
  return !first || hasColumn(database, { ...first, column })
}

/** How the migrations run. */
interface Mode {
  readonly online: Online | undefined
  readonly lease: Lease | undefined
}

async function applyPending(
  database: Database,
  fields: readonly Addition[],
  mode: Mode,
): Promise<void> {
  const pending = await listPendingMigrations(database)
  for (const { name, steps } of getMigrations(database.syntax)) {
    if (pending.includes(name)) await applySteps(database, steps, mode)
  }
  for (const field of fields) await addColumns(database, field)
}

async function applySteps(
  database: Database,
  steps: Steps,
  { online, lease }: Mode,
): Promise<void> {
  await createTables(database, steps.tables)
  for (const addition of steps.columns) {
    lease?.check()
    await addColumns(database, addition)
  }
  for (const change of steps.changes) await changeRows(database, change, lease)
  for (const index of steps.indexes) {
    lease?.check()
    await (online?.createIndex(database, index) ?? database.runUnlimited(raw(renderIndex(index))))
  }
  lease?.check()
  await database.runUnlimited(raw(steps.record))
}

/** A new table that refers to another one locks it too. */
async function createTables(database: Database, statements: readonly string[]): Promise<void> {
  const { migrationLock } = database.syntax
  const lock = migrationLock === '' ? [] : [raw(migrationLock)]
  if (statements.length > 0) await runPatiently(database, ...lock, ...statements.map(raw))
}

/** Changes rows in batches by the primary key, so that no writer waits for all of them. */
async function changeRows(database: Database, change: Change, lease?: Lease): Promise<void> {
  const { table, set, where } = change
  const { runUnlimited: run } = database
  const [source, condition] = [raw(table), raw(where)]
  for (let last = ''; ;) {
    lease?.check()
    const [found] = await run(
      sql`SELECT id FROM ${source} WHERE id > ${last} AND ${condition} ORDER BY id ${raw(`LIMIT ${BATCH}`)}`,
    )
    const ids = found?.rows.map(({ id }) => String(id)) ?? []
    if (ids.length === 0) return
    const isFound = sql`id IN (${joinValues(ids)})`
    await runPatiently(
      database,
      sql`UPDATE ${source} SET ${raw(set)} WHERE ${isFound} AND ${condition}`,
    )
    last = ids.at(-1) ?? last
  }
}

/** Adds columns, unless an interrupted or a concurrent migration has added them. */
async function addColumns(database: Database, addition: Addition): Promise<void> {
  if (await hasColumn(database, addition)) return
  try {
    await runPatiently(database, raw(addition.sql))
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

/** Returns the names in the last result. */
function getNames(results: readonly Result[]): readonly unknown[] | undefined {
  return results.at(-1)?.rows.map((row) => row['name'])
}
