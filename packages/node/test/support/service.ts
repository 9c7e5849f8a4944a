import { fileURLToPath } from 'node:url'
import { Program } from '@latchkey/test-support/program'

const folder = fileURLToPath(new URL('../..', import.meta.url))

/** Starts a service whose provider signs in every subject. */
export function startPassportService(env: Readonly<Record<string, string>>): Program {
  return new Program(folder, 'test/support/passport-service.ts', env)
}
