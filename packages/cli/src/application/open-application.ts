import { getApplicationFindings } from '../doctor/application.ts'
import { cleanFinding } from '../doctor/clean.ts'
import { CliError, UsageError } from '../lib/cli-error.ts'
import { describeDatabaseProblem } from '../lib/database.ts'
import { loadEnvironment } from '../lib/env-file.ts'
import { isObject } from '../lib/members.ts'
import type { ClosableStorage } from '../lib/sql-storage.ts'
import { report } from '../lib/terminal.ts'
import { conventions } from './config-file.ts'
import type { ServiceOptions } from './find-export.ts'
import { loadApplication } from './load-application.ts'
import type { Application } from './load-application.ts'

/** The options of a command that name an application. */
export interface ApplicationOptions {
  readonly config?: string
  readonly env?: string
  /** Whether bindings with `remote` in wrangler's configuration are remote. Default: true */
  readonly remoteBindings?: boolean
}

/** An application that starts. */
export interface OpenApplication extends Pick<Application, 'file' | 'close' | 'bindingProblem'> {
  readonly config: ServiceOptions
}

/**
 * Loads the application of a folder, to work on its storage.
 *
 * @throws UsageError if there is none; CliError, after what is wrong is printed, if it does not start
 */
export async function openApplication(
  folder: string,
  { config, env, remoteBindings }: ApplicationOptions,
): Promise<OpenApplication> {
  const variables = loadEnvironment(folder, env)
  const application = await loadApplication(folder, {
    config,
    variables,
    createsFiles: false,
    remoteBindings,
  })
  if (!application) throw new UsageError(`expected ${conventions}: name another with --config`)
  const { file, outcome, close, bindingProblem } = application
  if ('config' in outcome) return { file, config: outcome.config, close, bindingProblem }
  for (const finding of getApplicationFindings(application, variables.env)) {
    const { subject, text } = cleanFinding(finding, variables.env)
    report(`${subject}: ${text}`)
  }
  await close()
  throw new CliError(`${file} cannot be used`)
}

/** Returns the error to throw for a failure of an application's storage; any other as it is. */
export function describeFailure(thrown: unknown, file: string): unknown {
  if (!isUnavailable(thrown)) return thrown
  const problem = describeDatabaseProblem(getRoot(thrown))
  return new CliError(`the storage of ${file} cannot be used: ${problem}`)
}

function isUnavailable(thrown: unknown): thrown is Error {
  return isObject(thrown) && thrown['code'] === 'Unavailable'
}

/** Returns the error of the storage itself, which is the cause of our errors. */
function getRoot(thrown: Error): unknown {
  const cause = thrown.cause ?? thrown
  return isUnavailable(cause) && cause !== thrown ? getRoot(cause) : cause
}

/** Closes a storage that can be closed: its connections would keep the process alive. */
export async function closeStorage(storage: ClosableStorage | undefined): Promise<void> {
  await storage?.close?.()
}
