import { fileURLToPath } from 'node:url'
import { Program } from '@latchkey/test-support/program'

const folder = fileURLToPath(new URL('../..', import.meta.url))

/** Starts the service as an operator does. */
export function startService(env: Readonly<Record<string, string>>): Program {
  return new Program(folder, 'src/main.ts', env)
}

/** Starts a service whose provider signs in every subject. */
export function startPassportService(env: Readonly<Record<string, string>>): Program {
  return new Program(folder, 'test/support/passport-service.ts', env)
}
