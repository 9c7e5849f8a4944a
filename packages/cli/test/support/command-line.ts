import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { getCompileCache } from '@latchkey/test-support/program'

const main = resolve(import.meta.dirname, '../../src/main.ts')

/** What a run of the command line has left. */
export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command line in a separate process, without a terminal. */
export async function latchkey(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: folder,
    env: { ...getCompileCache(), PATH: process.env['PATH'], HOME: folder, ...env },
  })
  // A command that asked a question would wait here for ever: nothing is ever answered.
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: await stdout, stderr: await stderr }
}

/** Creates an empty folder for one test file, with the packages of this one. */
export function createFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-cli-'))
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

/** Gives a project the packages that this one has, in the place of an installation. */
export function linkPackages(folder: string): void {
  symlinkSync(resolve(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
}
