import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { CliError, UsageError } from '../lib/cli-error.ts'
import { addSourceOptions, openSource, readApplication } from '../application/database-source.ts'
import type { DatabaseSource, SourceUse } from '../application/database-source.ts'
import { workWith } from '../lib/database.ts'
import type { Database } from '../lib/database.ts'
import { getFieldColumns, planWranglerMigrations, readSchema } from '../lib/migration-files.ts'
import type { FieldColumn } from '../lib/migration-files.ts'
import { isMigratable } from '../lib/sql-storage.ts'
import type { MigratableStorage } from '../lib/sql-storage.ts'
import { print, report, showProgress } from '../lib/terminal.ts'
import { readD1Binding, readMigrations, runWrangler } from '../lib/wrangler.ts'

const dialects = ['sqlite', 'postgres', 'mysql'] as const

interface MigrateOptions extends DatabaseSource {
  readonly d1?: true
  readonly apply?: 'local' | 'remote'
  readonly dryRun?: true
  readonly sql?: (typeof dialects)[number]
}

/** Creates the command `latchkey migrate`. */
export function migrateCommand(): Command {
  const command = new Command('migrate').description(
    'Create the tables of users and sessions, or migrate them to this version.',
  )
  return addSourceOptions(command)
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
      if (options.d1) return migrateD1(process.cwd(), options)
      return migrateTables(process.cwd(), options)
    })
}

const help = `
The database is the storage of your application: its module is loaded, and migrated with the columns of
its userFields. Without a module, AUTH_DATABASE names the database. Every step is idempotent, several processes may migrate at the same time, and no user, account or
session is lost. Migrate before you deploy a new version of Latchkey.

  $ latchkey migrate                                       the storage of src/auth.ts
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

async function migrateTables(folder: string, options: MigrateOptions): Promise<void> {
  const isDry = options.dryRun === true
  const source = await openSource(folder, options, getUse(isDry))
  try {
    await workWith(source, 'migrated', (database) => migrate(database, isDry))
  } finally {
    await source.closeApplication()
  }
}

function getUse(isDry: boolean): SourceUse<MigratableStorage> {
  return {
    createsFiles: !isDry,
    isUsable: isMigratable,
    unusable: 'a storage without tables to migrate',
    forD1: 'use --d1',
    withoutApplication: 'the columns of its userFields, if there are any, are left out',
  }
}

async function migrate(
  { storage, description }: Database<MigratableStorage>,
  isDry: boolean,
): Promise<void> {
  const pending = await showProgress(description, () => storage.listPendingMigrations())
  if (pending.length === 0) return report(`${description} is up to date`)
  if (!isDry) await showProgress(`Migrating ${description}`, () => storage.migrate())
  for (const name of pending) print(name)
  report(`${description}: ${pending.length} ${isDry ? 'pending' : 'applied'}`)
}

async function migrateD1(folder: string, options: MigrateOptions): Promise<void> {
  const { dryRun, apply } = options
  const database = readD1Binding(folder)
  if (!database) {
    throw new CliError(
      'expected d1_databases in wrangler.jsonc, found none: run npx wrangler d1 create latchkey',
    )
  }
  const { binding, migrationsFolder } = database
  const fields = await readFieldColumns(folder, options)
  const files = planWranglerMigrations(readMigrations(join(folder, migrationsFolder)), fields)
  for (const { file, sql } of files) {
    if (!dryRun) writeMigration(join(folder, migrationsFolder), file, sql)
    print(join(migrationsFolder, file))
  }
  report(describeFiles(files.length, migrationsFolder, dryRun === true))
  if (dryRun) return
  if (apply) await runWrangler(folder, ['d1', 'migrations', 'apply', binding, `--${apply}`])
  else if (files.length > 0) report(`next: npx wrangler d1 migrations apply ${binding} --local`)
}

/** Returns the columns of the application's own fields; none if there is no module. */
async function readFieldColumns(
  folder: string,
  options: MigrateOptions,
): Promise<readonly FieldColumn[]> {
  const { fields, close } = await readApplication(folder, options, getUse(true))
  await close()
  return fields ? getFieldColumns(fields) : []
}

function writeMigration(folder: string, file: string, sql: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, file), sql, { flag: 'wx' })
}

function describeFiles(count: number, folder: string, isDry: boolean): string {
  if (count === 0) return `${folder} has every migration`
  return `${folder}: ${count} ${count === 1 ? 'file' : 'files'} ${isDry ? 'missing' : 'written'}`
}
