import { Variables } from './variables.ts'
import type { Environment } from './variables.ts'

/** What {@link readEnvironment} accepts besides the variables. */
export interface ReadOptions {
  /** Whether `AUTH_…` variables that are not read are ignored. Default: false, they are a problem */
  readonly allowUnknown?: boolean
}

/**
 * Reads the variables of an application, and checks all of them before it returns.
 *
 * @param read Reads the variables; its result is returned
 *
 * @example
 *   import { readConfig, readEnvironment, readPort } from '@latchkey/environment'
 *   import type { Environment, ProviderRow } from '@latchkey/environment'
 *
 *   declare const env: Environment
 *   declare const providers: readonly ProviderRow[]
 *   const { config, port } = readEnvironment(env, (variables) => ({
 *     config: readConfig(variables, { providers }),
 *     port: readPort(variables, 'PORT', 3000),
 *   }))
 *
 * @throws EnvironmentError that lists every problem by the name of its variable
 */
export function readEnvironment<T>(
  env: Environment,
  read: (variables: Variables) => T,
  { allowUnknown = false }: ReadOptions = {},
): T {
  const variables = new Variables(env)
  const settings = read(variables)
  if (!allowUnknown) variables.reportUnknown()
  variables.throwProblems()
  return settings
}
