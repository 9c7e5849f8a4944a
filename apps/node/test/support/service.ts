import { fileURLToPath } from 'node:url'
import { Program } from '@latchkey/test-support/program'

const folder = fileURLToPath(new URL('../..', import.meta.url))

/** Starts the service as an operator does. */
export function startService(env: Readonly<Record<string, string>>): Program {
  return new Program(folder, 'src/main.ts', env)
}
