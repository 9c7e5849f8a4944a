import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getFreePort } from '@latchkey/test-support/servers'
import { run } from './shell.ts'
import type { Environment } from './shell.ts'
import { readTranscripts, replay, startAndSignIn } from './transcript.ts'
import { updateCore } from './update.ts'

/** A project that uses the published packages. */
export interface Project {
  readonly name: string
  /** Installs it in an empty folder and signs in. Returns the folder of the project, if it can be compiled. */
  readonly use: (folder: string, env: Environment, version: string) => Promise<string | void>
}

/** Every kind of project: from the transcripts, and from `projects/`. */
export const projects: readonly Project[] = [
  ...readTranscripts().map((transcript) => ({
    name: transcript.name,
    use: (folder: string, env: Environment) => replay(transcript, folder, env),
  })),
  ...['next-15', 'vite-react', 'deno', 'bun'].map((name) => ({ name, use: createUse(name) })),
  // Last, because it publishes another version of core.
  { name: 'update', use: updateCore },
]

function createUse(name: string): Project['use'] {
  return async (folder, env, version) => {
    cpSync(new URL(`../projects/${name}`, import.meta.url), folder, { recursive: true })
    const file = join(folder, 'package.json')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"latest"', `"${version}"`))
    await run('npm install', { folder, env })
    const port = String(await getFreePort('localhost'))
    await startAndSignIn('npm run dev', { folder, env: { ...env, PORT: port } })
    return folder
  }
}
