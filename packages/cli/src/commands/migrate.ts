import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { CliError, UsageError } from '../lib/cli-error.ts'
import { describeDatabaseProblem, openDatabase } from '../lib/database.ts'
import type { Database } from '../lib/database.ts'
import { getVariable, loadEnvironment } from '../lib/env-file.ts'
import { planWranglerMigrations, readSchema } from '../lib/migration-files.ts'
import { print, report, showProgress } from '../lib/terminal.ts'
import { readD1Binding, readMigrations, runWrangler } from '../lib/wrangler.ts'

const dialects = ['sqlite', 'postgres', 'mysql'] as const

interface MigrateOptions {
  readonly database?: string
  readonly env?: string
  readonly d1?: true
  readonly apply?: 'local' | 'remote'
  readonly dryRun?: true
  readonly sql?: (typeof dialects)[number]
}

/** Creates the command `latchkey migrate`. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Create the tables of users and sessions, or migrate them to this version.')
    .option('--database <setting>', 'a URL, or the path of an SQLite file (default: AUTH_DATABASE)')
    .option('--env <file>', 'read AUTH_DATABASE from this file')
    .option('--d1', 'write the files that wrangler applies to D1, into its migrations_dir')
    .addOption(
      new Option('--apply <where>', 'with --d1: apply them too').choices(['local', 'remote']),
    )
    .option('--dry-run', 'name what is pending, and change nothing')
    .addOption(new Option('--sql <dialect>', 'print the SQL, and change nothing').choices(dialects))
    .addHelpText('after', help)
    .action(async (options: MigrateOptions) => {
      if (options.sql !== undefined) return print(renderSchema(options.sql))
      if (options.apply !== undefined && !options.d1) throw new UsageError('--apply needs --d1')
      await (options.d1 ? migrateD1(process.cwd(), options) : migrateServer(process.cwd(), options))
    })
}

const help = `
Every step is idempotent, several processes may migrate at the same time, and no user, account or
session is lost. Migrate before you deploy a new version of Latchkey.

  $ latchkey migrate                                       AUTH_DATABASE of .env, or of the process
  $ latchkey migrate --database latchkey.sqlite
  $ latchkey migrate --database postgres://user:password@host/app
  $ latchkey migrate --dry-run
  $ latchkey migrate --d1 --apply local                    then: --apply remote
  $ latchkey migrate --sql postgres | psql "$DATABASE_URL"

PostgreSQL needs the package pg in your project, MySQL and MariaDB need mysql2.`

function renderSchema(dialect: (typeof dialects)[number]): string {
  return readSchema(dialect)
    .map(({ name, sql }) => `-- ${name}\n${sql.trim()}`)
    .join('\n\n')
}

async function migrateServer(folder: string, options: MigrateOptions): Promise<void> {
  const { env } = loadEnvironment(folder, options.env)
  const setting = options.database ?? getVariable(env, 'AUTH_DATABASE')
  if (setting === undefined) {
    throw new UsageError('expected --database or AUTH_DATABASE, found neither; for D1 use --d1')
  }
  const database = await openDatabase(setting, folder)
  try {
    await migrate(database, options.dryRun === true)
  } catch (thrown) {
    const problem = describeDatabaseProblem(thrown)
    throw new CliError(`${database.description} cannot be migrated: ${problem}`)
  } finally {
    await database.close()
  }
}

async function migrate({ storage, description }: Database, isDry: boolean): Promise<void> {
  const pending = await showProgress(description, () => storage.listPendingMigrations())
  if (pending.length === 0) return report(`${description} is up to date`)
  if (!isDry) await showProgress(`Migrating ${description}`, () => storage.migrate())
  for (const name of pending) print(name)
  report(`${description}: ${pending.length} ${isDry ? 'pending' : 'applied'}`)
}

async function migrateD1(folder: string, { dryRun, apply }: MigrateOptions): Promise<void> {
  const database = readD1Binding(folder)
  if (!database) {
    throw new CliError(
      'expected d1_databases in wrangler.jsonc, found none: run npx wrangler d1 create latchkey',
    )
  }
  const { binding, migrationsFolder } = database
  const files = planWranglerMigrations(readMigrations(join(folder, migrationsFolder)))
  for (const { file, sql } of files) {
    if (!dryRun) writeMigration(join(folder, migrationsFolder), file, sql)
    print(join(migrationsFolder, file))
  }
  report(describeFiles(files.length, migrationsFolder, dryRun === true))
  if (dryRun) return
  if (apply) await runWrangler(folder, ['d1', 'migrations', 'apply', binding, `--${apply}`])
  else if (files.length > 0) report(`next: npx wrangler d1 migrations apply ${binding} --local`)
}

function writeMigration(folder: string, file: string, sql: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, file), sql, { flag: 'wx' })
}

function describeFiles(count: number, folder: string, isDry: boolean): string {
  if (count === 0) return `${folder} has every migration`
  return `${folder}: ${count} ${count === 1 ? 'file' : 'files'} ${isDry ? 'missing' : 'written'}`
}
