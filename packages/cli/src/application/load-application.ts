import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { markAsTool } from '@latchkey/core/unstable'
import type { Environment } from '@latchkey/environment'
import { CliError } from '../lib/cli-error.ts'
import type { LoadedEnvironment } from '../lib/env-file.ts'
import { findConfigFile } from './config-file.ts'
import { findExportedConfig } from './find-export.ts'
import type { ServiceOptions } from './find-export.ts'
import { loadModule } from './load-module.ts'
import { catchStray, runGuarded } from './module-guards.ts'
import type { GuardOptions, SideEffects } from './module-guards.ts'
import { noteReads, replaceProcessEnv } from './read-names.ts'
import { openWorkerEnvironment } from './worker-env.ts'

/** An application whose module was run. */
export interface Application {
  /** The module, relative to the folder. */
  readonly file: string
  /** The configuration of its service; or what was thrown, so that it does not start. */
  readonly outcome: { readonly config: ServiceOptions } | { readonly thrown: unknown }
  readonly effects: SideEffects
  /** Why the bindings of a Worker could not be simulated; undefined if they are, or there are none. */
  readonly bindingProblem: string | undefined
  /** The names of the variables that it has read. */
  readonly reads: ReadonlySet<string>
  /** What nothing has caught until now, such as the error event of a client or a rejected promise. */
  readonly stray: readonly unknown[]
  /** Restores the variables of this process, and stops what simulates the bindings of a Worker. */
  readonly close: () => Promise<void>
}

/** Which application is loaded, and how. */
export interface LoadOptions extends GuardOptions {
  /** The module. Default: found by convention */
  readonly config?: string | undefined
  readonly variables: LoadedEnvironment
  /** Whether bindings with `remote` in wrangler's configuration are remote. Default: true */
  readonly remoteBindings?: boolean | undefined
}

/** Milliseconds for a module, which may wait for a database. */
const LIMIT = 30_000

/**
 * Runs the module of an application that calls `createAuth`, and returns the configuration of its service.
 * Returns undefined if no file is named and none is found.
 *
 * @throws CliError if the file that is named does not exist
 */
export async function loadApplication(
  folder: string,
  options: LoadOptions,
): Promise<Application | undefined> {
  const file = options.config ?? findConfigFile(folder)
  if (file === undefined) return undefined
  if (!existsSync(resolve(folder, file))) {
    throw new CliError(`expected the file ${file}, found none: name another with --config`)
  }
  // The application has a copy of core of its own, whose version may be another one.
  markAsTool()
  const reads = new Set<string>()
  const { env, named } = options.variables
  // First, because wrangler starts servers, which must listen.
  const worker = await openWorkerEnvironment(folder, env, named, options.remoteBindings)
  const stray: unknown[] = []
  const restore = [replaceProcessEnv(env, reads), catchStray((thrown) => stray.push(thrown))]
  const load = (): Promise<ServiceOptions> => loadConfig(folder, file, noteReads(worker.env, reads))
  const { result, effects } = await runGuarded(() => limitTime(load()), options)
  const outcome =
    result.status === 'fulfilled' ? { config: result.value } : { thrown: result.reason }
  const close = async (): Promise<void> => {
    for (const undo of restore) undo()
    await worker.close()
  }
  return { file, outcome, effects, bindingProblem: worker.problem, reads, stray, close }
}

async function loadConfig(folder: string, file: string, env: Environment): Promise<ServiceOptions> {
  return findExportedConfig(await loadModule(folder, file, env), file, env)
}

/** A module that waits for what never comes would keep the command waiting too. */
async function limitTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new CliError(`it is not loaded after ${LIMIT / 1000} s: a top-level await waits`)
    timer = setTimeout(() => reject(error), LIMIT)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
