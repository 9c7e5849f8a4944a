import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, Running } from './shell.ts'
import type { Environment, Place } from './shell.ts'

/** The versions of TypeScript that projects are compiled with, without `skipLibCheck`. */
const compilers = { 'typescript-5.9': 'npm:typescript@~5.9.3', 'typescript-7': 'npm:typescript@^7' }

/** Compiles a project with each version. */
export type Compile = (folder: string) => Promise<void>

/** Installs the compilers once, for all projects. */
export async function installCompilers(folder: string, env: Environment): Promise<Compile> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ devDependencies: compilers }))
  await run('npm install', { folder, env })
  return async (project) => {
    for (const name of Object.keys(compilers)) {
      const program = join(folder, 'node_modules', name, 'bin/tsc')
      await compileWith(`node "${program}" --noEmit --skipLibCheck false`, { folder: project, env })
    }
  }
}

/** Declarations of Next.js itself need a DOM library that TypeScript 5.9 does not have. */
const foreign = /^node_modules\/next\//

/** @throws Error with the errors outside of foreign declarations */
async function compileWith(command: string, place: Place): Promise<void> {
  const compiler = new Running(command, place)
  if ((await compiler.ended) === 0) return
  const lines = compiler.output.split('\n').filter((line) => line !== '' && !foreign.test(line))
  if (lines.length > 0) throw new Error(`${command} failed:\n${lines.join('\n')}`)
}
