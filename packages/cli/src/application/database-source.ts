import type { Command } from 'commander'
import type { Storage } from '@latchkey/core'
import type { SqlStorage } from '@latchkey/storage-sql'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { cleanFinding } from '../doctor/clean.ts'
import { getApplicationFindings } from '../doctor/application.ts'
import { UsageError } from '../lib/cli-error.ts'
import { openDatabase } from '../lib/database.ts'
import type { Database } from '../lib/database.ts'
import { getVariable, loadEnvironment } from '../lib/env-file.ts'
import { getFields } from '../lib/sql-storage.ts'
import type { ClosableStorage } from '../lib/sql-storage.ts'
import { report } from '../lib/terminal.ts'
import { readD1Binding } from '../lib/wrangler.ts'
import { loadApplication } from './load-application.ts'

/** How a command line names the database of an application. */
export interface DatabaseSource {
  /** The module that calls `createAuth`. Default: found by convention */
  readonly config?: string
  /** A database in place of the application's. */
  readonly database?: string
  /** The file of the variables. Default: `.env`, `.env.local` and `.dev.vars` */
  readonly env?: string
}

/** Adds the options of {@link DatabaseSource} to a command. */
export function addSourceOptions(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'the module that calls createAuth (default: src/auth.ts, auth.ts, …)',
    )
    .option(
      '--database <setting>',
      'a URL, or the path of an SQLite file, in place of its database',
    )
    .option('--env <file>', 'read variables from this file (default: .env, .env.local, .dev.vars)')
}

/** What a command does with the storage of an application. */
export interface SourceUse<S extends ClosableStorage> {
  /** Whether an SQLite file may be created. */
  readonly createsFiles: boolean
  readonly isUsable: (storage: Storage | undefined) => storage is S
  /** What is found in place of a usable storage: `a storage without tables to migrate` */
  readonly unusable: string
  /** What the command line can do for D1. */
  readonly forD1: string
  /** What follows if the application does not start. */
  readonly withoutApplication: string
}

/** A database, and the application that it was read from. */
export interface OpenSource<S extends ClosableStorage> extends Database<S | SqlStorage> {
  /** Ends what the application has started. The database is closed before. */
  readonly closeApplication: () => Promise<void>
}

/**
 * Opens the storage of an application; or the database of the command line or of AUTH_DATABASE, with the
 * application's own fields, and with factors and grants, which the application may use.
 *
 * @throws UsageError if there is no database with tables, CliError if it cannot be opened
 */
export async function openSource<S extends ClosableStorage>(
  folder: string,
  source: DatabaseSource,
  use: SourceUse<S>,
): Promise<OpenSource<S>> {
  const application = await readApplication(folder, source, use)
  const { file, storage, fields, close } = application
  const { env } = loadEnvironment(folder, source.env)
  const setting =
    source.database ?? (file === undefined ? getVariable(env, 'AUTH_DATABASE') : undefined)
  try {
    const database =
      setting === undefined
        ? useStorage(folder, { file, storage }, use)
        : await openDatabase(setting, folder, {
            factors: sqlFactors(),
            grants: sqlGrants(),
            ...(fields && { fields }),
          })
    return { ...database, closeApplication: close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

function useStorage<S extends ClosableStorage>(
  folder: string,
  { file, storage }: Pick<ReadApplication, 'file' | 'storage'>,
  { isUsable, unusable, forD1 }: SourceUse<S>,
): Database<S> {
  if (readD1Binding(folder)) {
    throw new UsageError(`the users of this project are in D1: ${forD1}, or name a --database`)
  }
  if (file === undefined) {
    const expected = 'expected a module with createAuth, --database or AUTH_DATABASE, found none'
    throw new UsageError(`${expected}; for D1: ${forD1}`)
  }
  if (!isUsable(storage)) {
    const found = storage === undefined ? 'no storage' : unusable
    throw new UsageError(`expected a storage of @latchkey/storage-sql in ${file}, found ${found}`)
  }
  const close = async (): Promise<void> => storage.close?.()
  return { storage, description: `the database of ${file}`, close }
}

/** The storage of an application. */
interface ReadApplication {
  /** The module; undefined if there is none, or it does not start. */
  readonly file: string | undefined
  readonly storage: Storage | undefined
  readonly fields: ReturnType<typeof getFields>
  readonly close: () => Promise<void>
}

/**
 * Loads an application for its storage. If it does not start, that is reported with what follows from it:
 * the application's own fields are not known.
 */
export async function readApplication(
  folder: string,
  source: DatabaseSource,
  {
    createsFiles,
    withoutApplication,
  }: Pick<SourceUse<ClosableStorage>, 'createsFiles' | 'withoutApplication'>,
): Promise<ReadApplication> {
  const { config } = source
  const variables = loadEnvironment(folder, source.env)
  const application = await loadApplication(folder, { config, variables, createsFiles })
  const none = { file: undefined, storage: undefined, fields: undefined }
  if (!application) return { ...none, close: async () => undefined }
  const { file, outcome, close } = application
  if ('config' in outcome) {
    const { storage } = outcome.config
    return { file, storage, fields: getFields(storage), close }
  }
  for (const finding of getApplicationFindings(application, variables.env)) {
    const { subject, text } = cleanFinding(finding, variables.env)
    report(`${file} cannot be used: ${subject}: ${text}`)
  }
  report(withoutApplication)
  return { ...none, close }
}
