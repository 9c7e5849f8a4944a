import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { documentedPg } from '../../packages/storage-authjs/test/support/schemas.ts'
import type { Block } from './blocks.ts'

/** Runs a script on a database with the tables that it needs. Rejects if a statement fails. */
type RunSql = (script: string) => Promise<unknown>

/** The database of the scripts of each document. */
const databases: Readonly<Record<string, RunSql>> = {
  'apps/docs/pages/guide/storage-sql.md': async (script) => openLatchkey().exec(script),
  // The page has added the field `role` before.
  'apps/docs/pages/guide/changes.md': async (script) =>
    openLatchkey().exec(`ALTER TABLE latchkey_users ADD COLUMN role TEXT; ${script}`),
  'apps/docs/pages/migration/credentials.md': async (script) =>
    openLatchkey().exec(`CREATE TABLE password (user_id TEXT, hash TEXT); ${script}`),
  'apps/docs/pages/guide/storage-authjs.md': (script) =>
    script.includes('COLLATE') ? runOnMysql(script) : runOnPostgres(script),
}

/** Runs a script on the database that its document is about. */
export async function checkSql({ file, text }: Block): Promise<string | undefined> {
  const run = databases[file]
  if (!run) return 'no database for the scripts of this document: add it to .ci/examples/sql.ts'
  return run(text).then(
    () => undefined,
    (error: unknown) => String(error),
  )
}

/** The tables of @latchkey/storage-sql in SQLite. */
function openLatchkey(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  const files = globSync('packages/storage-sql/schema/sqlite/*.sql').toSorted()
  for (const file of files) database.exec(readFileSync(file, 'utf8'))
  return database
}

/** The documented tables of @auth/pg-adapter, and the one that TypeORM names differently. */
async function runOnPostgres(script: string): Promise<void> {
  const { PGlite } = load('@electric-sql/pglite')
  const database = new PGlite()
  const tokens =
    'CREATE TABLE verification_tokens (identifier TEXT, token TEXT, expires TIMESTAMPTZ)'
  await database.exec([...documentedPg, tokens, script].join(';\n'))
  await database.close()
}

/** The table of accounts, in MariaDB, whose collation has another name. */
async function runOnMysql(script: string): Promise<void> {
  const { createConnection } = load('mysql2/promise')
  const url = process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test'
  const connection = await createConnection(url)
  await connection.query('CREATE TEMPORARY TABLE Account (provider TEXT, providerAccountId TEXT)')
  await connection
    .query(script.replaceAll('utf8mb4_0900_bin', 'utf8mb4_nopad_bin'))
    .finally(() => connection.end())
}

/** Returns a package that @latchkey/storage-sql depends on. */
function load(name: string): ReturnType<NodeJS.Require> {
  return createRequire(resolve('packages/storage-sql/package.json'))(name)
}
