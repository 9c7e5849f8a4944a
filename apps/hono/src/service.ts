import { createAuth } from '@latchkey/core'
import type { Auth, Storage } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import { oidc } from '@latchkey/core/providers/oidc'
import {
  defineProvider,
  nameVariables,
  oidcVariables,
  readConfig,
  readEnvironment,
  readProviders,
  toOidcOptions,
} from '@latchkey/environment'
import type { Environment, ProviderRow } from '@latchkey/environment'
import { readTokens } from './tokens.ts'

/** The identity providers of this application, in the order of the sign-in page. */
const providers: readonly ProviderRow[] = [
  defineProvider('github', github),
  defineProvider('oidc', (values) => oidc(toOidcOptions(values)), oidcVariables),
]

/**
 * Creates the sign-in service of this application.
 *
 * @param env Environment variables on Node; variables, secrets and bindings on Workers
 *
 * @throws EnvironmentError that lists every problem by the name of its variable
 */
export function createService(env: Environment, storage: Storage): Auth {
  const config = readEnvironment(env, (variables) => readConfig(variables, { providers }))
  const { tokens } = readTokens(env) ?? {}
  return nameVariables(() => createAuth({ ...config, storage, ...(tokens && { use: [tokens] }) }))
}

/** Returns whether a variable of an identity provider is set. */
export function hasProvider(env: Environment): boolean {
  const read = readEnvironment(env, (variables) => readProviders(variables, providers), {
    allowUnknown: true,
  })
  return read.length > 0
}
