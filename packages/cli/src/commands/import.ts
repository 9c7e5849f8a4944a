import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { closeStorage, openApplication } from '../application/open-application.ts'
import type { ApplicationOptions } from '../application/open-application.ts'
import { formats, getFormat, openRecords } from '../import/read-records.ts'
import type { Format } from '../import/read-records.ts'
import { createReportFile } from '../import/report-file.ts'
import { printSummary, runImport } from '../import/run-import.ts'
import { checkColumns, toRow } from '../import/to-row.ts'
import type { Declarations } from '../import/to-row.ts'
import { CliError, UsageError } from '../lib/cli-error.ts'
import { readD1Binding } from '../lib/wrangler.ts'

interface ImportOptions extends ApplicationOptions {
  readonly format?: Format
  readonly report?: string
  readonly dryRun?: true
  readonly addPasswords?: true
  readonly d1?: 'local' | 'remote'
}

/** Creates the command `latchkey import`. */
export function importCommand(setCode: (code: number) => void): Command {
  const command = new Command('users')
    .description('Import users, with the hashes of their passwords.')
    .argument('<file>', 'a file of users: .csv, .jsonl or .ndjson')
    .addOption(new Option('--format <format>', 'the format of the file').choices(formats))
    .option('--report <file>', 'list the refused rows in this file (default: <file>.refused.jsonl)')
    .option(
      '--add-passwords',
      'also for users who exist, with the same id, and sign in by other ways',
    )
    .addOption(
      new Option('--d1 <where>', 'into the D1 database of wrangler.jsonc').choices([
        'local',
        'remote',
      ]),
    )
    .option('--dry-run', 'check every row against the storage, and change nothing')
    .option(
      '--config <file>',
      'the module that calls createAuth (default: src/auth.ts, auth.ts, …)',
    )
    .option('--env <file>', 'read variables from this file (default: .env, .env.local, .dev.vars)')
    .addHelpText('after', help)
    .action(async (file: string, options: ImportOptions) =>
      setCode(await importFile(process.cwd(), file, options)),
    )
  return new Command('import').description('Import users of another service.').addCommand(command)
}

const help = `
The module of your application that calls createAuth is loaded, for passwords() and its storage. The
columns of a CSV file, or the members of each JSON line:

  email          required
  emailVerified  required: true or false, 1 or 0, or the time of the proof
  id             kept (default: a new one)
  hash           the hash of the password, in a format of the option verifiers (default: no password)
  name, image    optional
  others         fields that the storage declares

An empty value counts as missing. The file is in UTF-8. A user whose row comes again is not
changed, so the command can be repeated: also after Ctrl-C, which ends it after the rows in progress.

  $ latchkey import users users.csv --dry-run
  $ latchkey import users users.csv --env production.env
  $ latchkey import users users.csv --d1 local             then: --d1 remote

Refused rows are listed in <file>.refused.jsonl, which only you can read: row, email address, reason.

Exit codes: 0 every user is imported, 1 rows were refused, or it was stopped.`

async function importFile(folder: string, file: string, options: ImportOptions): Promise<number> {
  checkD1(folder, options.d1)
  const format = options.format ?? getFormat(file)
  const path = resolve(folder, file)
  if (!existsSync(path)) throw new UsageError(`expected the file ${file}, found none`)
  const remoteBindings = options.d1 === 'remote'
  const application = await openApplication(folder, { ...options, remoteBindings })
  const { storage } = application.config
  try {
    if (options.d1 && application.bindingProblem) throw new CliError(application.bindingProblem)
    const rows = await openRows(path, file, format, storage?.fields?.declarations ?? {})
    const name = options.report ?? `${file}.refused.jsonl`
    const refused = createReportFile(resolve(folder, name), name, options.report === undefined)
    const dryRun = options.dryRun === true
    const addsPasswords = options.addPasswords === true
    const work = { ...application, rows, refused, dryRun, addsPasswords }
    const summary = await runImport(work)
    printSummary(summary, { dryRun, name })
    return summary.isComplete && summary.refused === 0 ? 0 : 1
  } finally {
    await closeStorage(storage)
    await application.close()
  }
}

/** Checks that the users are in the database that the command line names: a slip would import them elsewhere. */
function checkD1(folder: string, where: ImportOptions['d1']): void {
  const database = readD1Binding(folder)
  if (database && !where) {
    throw new UsageError('the users of this project are in D1: add --d1 local, or --d1 remote')
  }
  if (where && !database) {
    throw new UsageError('--d1: expected d1_databases in wrangler.jsonc, found none')
  }
  if (where === 'remote' && !database?.isRemote) {
    const instead = `set "remote": true beside "binding": "${database?.binding}" in wrangler.jsonc`
    throw new UsageError(`--d1 remote: ${instead}, while you import`)
  }
}

async function openRows(
  path: string,
  name: string,
  format: Format,
  declarations: Declarations,
): Promise<AsyncIterable<unknown>> {
  const { columns, records } = await openRecords(path, name, format)
  if (columns) checkColumns(columns, declarations)
  return mapRecords(records, (record) => toRow(record, declarations))
}

async function* mapRecords(
  records: AsyncIterable<unknown>,
  map: (record: unknown) => unknown,
): AsyncGenerator {
  for await (const record of records) yield map(record)
}
