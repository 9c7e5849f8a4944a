import {
  EnvironmentError,
  loadProviders,
  readConfig,
  readDatabase,
  readEmail,
  readEnvironment,
  readText,
} from '@latchkey/environment'
import type { Environment, ServiceConfig, VariableProblem } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'

export const secret = 'a-secret-of-thirty-two-bytes-or-more'

/** The variables of a client: of every provider, unless it needs more. */
export function client(name: string): Readonly<Record<string, string>> {
  return { [`AUTH_${name}_ID`]: 'id', [`AUTH_${name}_SECRET`]: 'kept secret' }
}

/** The smallest environment that is valid. */
export const least: Environment = { AUTH_SECRET: secret, ...client('GITHUB') }

/** Reads an environment as an application does that offers every provider, and email. */
export async function read(env: Environment): Promise<ServiceConfig> {
  const rows = await loadProviders(env, providers)
  return readEnvironment(env, (variables) => {
    const server = readText(variables, 'AUTH_EMAIL_SERVER')
    const email = readEmail(variables, {
      variable: 'AUTH_EMAIL_SERVER',
      isRequested: server !== undefined,
      createMailer: () => ({ send: async () => {} }),
    })
    const config = readConfig(variables, { providers: rows, email })
    readDatabase(variables, config)
    return config
  })
}

/** What {@link read} throws. */
export async function readError(env: Environment): Promise<EnvironmentError> {
  const thrown: unknown = await read(env).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown instanceof EnvironmentError) return thrown
  throw new Error('expected an EnvironmentError', { cause: thrown })
}

/** The problems that {@link read} reports; none if the environment is valid. */
export async function readProblems(env: Environment): Promise<readonly VariableProblem[]> {
  try {
    await read(env)
    return []
  } catch (thrown) {
    if (thrown instanceof EnvironmentError) return thrown.problems
    throw thrown
  }
}

/** The names of the variables that have problems. */
export async function readFaulty(env: Environment): Promise<readonly string[]> {
  return (await readProblems(env)).map(({ variable }) => variable)
}
