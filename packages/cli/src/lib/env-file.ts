import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '@latchkey/environment'
import { CliError } from './cli-error.ts'

/** The files that hold variables, as Node, Next.js and wrangler read them: later ones win. */
const names = ['.env', '.env.local', '.dev.vars'] as const

/** The variables of a project, and where they come from. */
export interface LoadedEnvironment {
  readonly env: Environment
  /** The files that were read, relative to the folder. */
  readonly files: readonly string[]
  /** The variables of the file that was named, if one was. */
  readonly named: Environment
}

/**
 * Reads the variables of a project. Process variables take precedence over files.
 *
 * @param file Reads this file only. Default: `.env`, `.env.local` and `.dev.vars` of the folder
 * @throws CliError if `file` does not exist
 */
export function loadEnvironment(folder: string, file?: string): LoadedEnvironment {
  if (file !== undefined && !existsSync(resolve(folder, file))) {
    throw new CliError(`expected the file ${file}, found none: name another with --env`)
  }
  const files = file === undefined ? names.filter((name) => existsSync(join(folder, name))) : [file]
  const parsed = files.map((name) => parseEnv(readFileSync(resolve(folder, name), 'utf8')))
  const fromFiles = Object.fromEntries(parsed.flatMap(Object.entries))
  return {
    env: { ...fromFiles, ...process.env },
    files,
    named: file === undefined ? {} : fromFiles,
  }
}

/** Returns the value of a variable that is set to a string that is not empty. */
export function getVariable(env: Environment, name: string): string | undefined {
  const value = env[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
