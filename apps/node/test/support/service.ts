import { fileURLToPath } from 'node:url'
import { Program } from '@latchkey/test-support/program'
import { onTestFinished } from 'vitest'

const folder = fileURLToPath(new URL('../..', import.meta.url))

/** Starts the service as an operator does. */
export function startService(env: Readonly<Record<string, string>>): Program {
  return new Program(folder, 'src/main.ts', env)
}

/** The least variables that a service needs. It stores nothing that is left over after the test. */
export const leastVariables = {
  AUTH_SECRET: 'a-secret-of-thirty-two-bytes-or-more',
  AUTH_GITHUB_ID: 'id',
  AUTH_GITHUB_SECRET: 'secret',
  AUTH_DATABASE: ':memory:',
  PORT: '0',
}

/** Starts the service for one test. Resolves to the process and its URL once it listens. */
export async function serve(
  env: Readonly<Record<string, string>> = leastVariables,
): Promise<{ readonly program: Program; readonly url: string }> {
  const program = startService(env)
  onTestFinished(async () => void (await program.stop()))
  const [, url = ''] = await program.waitForOutput(/listening on ([^\s"]+)/)
  return { program, url }
}
