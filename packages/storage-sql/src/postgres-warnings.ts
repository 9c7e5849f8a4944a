import type { Database } from './database.ts'
import { catchPoolerError } from './pooler.ts'
import type { ServerWarning } from './server-warnings.ts'
import { sql } from './sql.ts'

/** What each setting risks if it is off, and why. */
const risks: Readonly<Record<string, string>> = {
  fsync: 'a crash of the machine can destroy the database',
  synchronous_commit: 'a crash loses acknowledged writes, sign-outs included',
}

/**
 * Returns the settings of PostgreSQL with which acknowledged writes are lost, and whether PgBouncer
 * refuses what the storage sends.
 *
 * @param probe Fails if the client's prepared statements do not work. Default: nothing is tried
 */
export async function getPostgresWarnings(
  database: Database,
  probe: () => Promise<readonly ServerWarning[]> = () => Promise.resolve([]),
): Promise<readonly ServerWarning[]> {
  const settings = await catchPoolerError(() => checkSettings(database))
  const transactions = await catchPoolerError(() => checkTransactions(database))
  const statements = await catchPoolerError(probe)
  const warnings = [...settings, ...transactions, ...statements]
  return warnings.filter(
    ({ problem }, i) => warnings.findIndex((each) => each.problem === problem) === i,
  )
}

async function checkSettings({ queryRows }: Database): Promise<readonly ServerWarning[]> {
  const rows = await queryRows(
    sql`SELECT name, setting FROM pg_settings
      WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off' ORDER BY name`,
  )
  return rows.map(({ name }) => ({
    problem: `${String(name)} is off: ${risks[String(name)]}`,
    fix: `set ${String(name)} to on`,
  }))
}

/** Several statements are a transaction, which PgBouncer refuses in statement mode. */
async function checkTransactions({ run }: Database): Promise<readonly ServerWarning[]> {
  await run(sql`SELECT 1`, sql`SELECT 2`)
  return []
}
