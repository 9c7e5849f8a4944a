import { ConfigurationError } from '@latchkey/core'
import type { AuthConfig } from '@latchkey/core'
import { providerNames, providerVariables, readProviders } from './providers.ts'
import { read, readFlag, readPort, readSecrets } from './variables.ts'
import type { Environment } from './variables.ts'

/** What the environment says: the service, and where it listens. */
export interface Settings {
  readonly config: AuthConfig
  readonly host: string
  readonly port: number
}

/**
 * Reads the environment of the service.
 *
 * @throws ConfigurationError whose `option` is the variable that cannot be used
 */
export function readEnvironment(env: Environment): Settings {
  refuseUnknown(env)
  const secret = readSecrets(env)
  if (!secret) throw noSecret()
  const host = read(env, 'HOST') ?? 'localhost'
  const port = readPort(env, 'PORT', 3000)
  const serviceUrl = read(env, 'SERVICE_URL')
  const trustHost = readFlag(env, 'AUTH_TRUST_HOST')
  const providers = readProviders(env)
  if (providers.length === 0) throw noProvider()
  return { config: { secret, providers, serviceUrl, trustHost }, host, port }
}

/** A misspelt variable must not leave a provider out, or a setting at its default, unnoticed. */
function refuseUnknown(env: Environment): void {
  const known = new Set(['AUTH_SECRET', 'AUTH_TRUST_HOST', ...providerVariables()])
  const unknown = Object.keys(env).find((name) => name.startsWith('AUTH_') && !known.has(name))
  if (unknown !== undefined) throw new ConfigurationError(unknown, 'is not a variable of Latchkey')
}

function noSecret(): ConfigurationError {
  return new ConfigurationError(
    'AUTH_SECRET',
    'is missing: set it to a random text of at least 32 bytes (openssl rand -base64 32)',
  )
}

function noProvider(): ConfigurationError {
  return new ConfigurationError(
    'AUTH_<PROVIDER>_ID',
    `no identity provider is configured: set the variables of one of ${providerNames().join(', ')}`,
  )
}
