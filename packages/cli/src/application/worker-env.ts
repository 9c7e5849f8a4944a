import { join } from 'node:path'
import type { Environment } from '@latchkey/environment'
import { describeThrown } from '../lib/cli-error.ts'
import { importDriver } from '../lib/database.ts'
import { findWranglerConfig } from '../lib/wrangler.ts'

/** The bindings and variables of a Worker. */
export interface WorkerEnvironment {
  readonly env: Environment
  /** Why the bindings could not be simulated; undefined if they are. */
  readonly problem?: string
  readonly close: () => Promise<void>
}

/** The members of `wrangler` that are used here. */
interface Wrangler {
  readonly getPlatformProxy: (options: object) => Promise<{
    readonly env: Environment
    readonly dispose: () => Promise<void>
  }>
}

/**
 * Returns the environment of a Worker as `wrangler dev` has it: variables, `.dev.vars`, and bindings that
 * are simulated on this machine. Without a configuration of wrangler, the variables are the environment.
 *
 * @param variables The variables of the project
 * @param override Variables that take precedence, such as a file that the command line names
 * @param remoteBindings Whether bindings with `remote` in the configuration are those of the deployed Worker
 */
export async function openWorkerEnvironment(
  folder: string,
  variables: Environment,
  override: Environment = {},
  remoteBindings: boolean = true,
): Promise<WorkerEnvironment> {
  const file = findWranglerConfig(folder)
  if (file === undefined) return { env: variables, close: closeNothing }
  try {
    const { getPlatformProxy } = await importDriver<Wrangler>('wrangler', folder)
    const proxy = await getPlatformProxy({ configPath: join(folder, file), remoteBindings })
    return { env: { ...proxy.env, ...override }, close: () => proxy.dispose() }
  } catch (thrown) {
    const problem = `the bindings of ${file} cannot be simulated: ${describeThrown(thrown)}`
    return { env: variables, close: closeNothing, problem }
  }
}

async function closeNothing(): Promise<void> {}
