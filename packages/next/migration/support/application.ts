import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { getFreePort } from '@latchkey/test-support/servers'
import { startProgram } from '../../../internal/hosts/src/process.ts'
import type { RunningProgram } from '../../../internal/hosts/src/process.ts'

export type Environment = Readonly<Record<string, string>>

const root = fileURLToPath(new URL('../..', import.meta.url))
const nextProgram = join(root, 'node_modules/next/dist/bin/next')

/** All that a build has: none of the variables of the application. */
const buildEnvironment: Environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  NODE_ENV: 'production',
  NEXT_TELEMETRY_DISABLED: '1',
}

/** A build of the application, which can be started several times. */
export interface Build {
  /** What `next build` and the type check were run in. */
  readonly folder: string
  /**
   * Starts the build with the variables of a deployment, until it is disposed of.
   *
   * @param port Default: a free one
   */
  readonly start: (env: Environment, port?: number) => Promise<RunningProgram>
}

/** Creates a folder for builds. In this package, so that its dependencies resolve. */
export async function createFolder(): Promise<string> {
  return mkdtemp(join(root, '.migration-'))
}

/** Removes the folder of {@link createFolder}. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}

/**
 * Builds a copy of the application, without any variable of it.
 *
 * @param change Changes the copy before it is built
 *
 * @throws Error with the output, if the build fails
 */
export async function build(
  parent: string,
  name: string,
  change: (folder: string) => void,
): Promise<Build> {
  const folder = join(parent, name)
  await cp(join(root, 'migration/before'), folder, { recursive: true })
  change(folder)
  await run(folder, [nextProgram, 'build'])
  return { folder, start: (env, port) => start(folder, env, port) }
}

/**
 * Checks the types of a copy of the application.
 *
 * @throws Error with the output, if there is an error
 */
export async function checkTypes(folder: string): Promise<void> {
  await run(folder, [join(root, '../../node_modules/typescript/bin/tsc'), '-p', '.'])
}

async function run(cwd: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, args, { cwd, env: buildEnvironment }).catch(
    (error: { readonly stdout?: string; readonly stderr?: string }) => {
      throw new Error(`${args.join(' ')} failed:\n${error.stdout}${error.stderr}`)
    },
  )
}

async function start(
  folder: string,
  env: Environment,
  given: number | undefined,
): Promise<RunningProgram> {
  const port = given ?? (await getFreePort('localhost'))
  const args = [nextProgram, 'start', '--hostname=localhost', `--port=${port}`]
  return startProgram(process.execPath, args, /Local:\s+(http\S+)/, {
    cwd: folder,
    env: { ...buildEnvironment, NO_COLOR: '1', FORCE_COLOR: '0', ...env },
  })
}
