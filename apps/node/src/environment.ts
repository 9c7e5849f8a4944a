import { ConfigurationError } from '@latchkey/core'
import type { AuthConfig, Provider } from '@latchkey/core'
import { emailVariables, readEmail } from './mail.ts'
import { providerNames, providerVariables, readProviders } from './providers.ts'
import { read, readFlag, readPort, readSecrets } from './variables.ts'
import type { Environment } from './variables.ts'

/** What the environment says: the service, and where it listens. */
export interface Settings {
  readonly config: AuthConfig
  readonly host: string
  readonly port: number
  /** Where users are kept; undefined where nothing is. */
  readonly database: string | undefined
  /** The header in which a proxy in front says the client's address; undefined where none does. */
  readonly clientAddressHeader: string | undefined
}

const DATABASE = 'latchkey.sqlite'

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
  const byMail = readEmail(env)
  const providers = trusting(env, [...(byMail ? [byMail] : []), ...readProviders(env)])
  if (providers.length === 0) throw noProvider()
  return {
    config: { secret, providers, serviceUrl, trustHost },
    host,
    port,
    database: readDatabase(env, providers),
    clientAddressHeader: readHeaderName(env),
  }
}

function readDatabase(env: Environment, providers: readonly Provider[]): string | undefined {
  const database = read(env, 'AUTH_DATABASE') ?? DATABASE
  if (database !== 'none') return database
  if (!providers.some(({ needs = [] }) => needs.length > 0)) return undefined
  throw new ConfigurationError('AUTH_DATABASE', 'must not be none: sign-in by e-mail needs one')
}

function readHeaderName(env: Environment): string | undefined {
  const name = read(env, 'AUTH_CLIENT_ADDRESS_HEADER')
  if (name === undefined || /^[a-z\d-]+$/i.test(name)) return name
  throw new ConfigurationError('AUTH_CLIENT_ADDRESS_HEADER', 'must be the name of a header')
}

/** Marks the providers of `AUTH_TRUST_EMAIL_OF`, whose word on addresses is trusted (I-38). */
function trusting(env: Environment, providers: readonly Provider[]): readonly Provider[] {
  const ids =
    read(env, 'AUTH_TRUST_EMAIL_OF')
      ?.split(',')
      .map((id) => id.trim()) ?? []
  const unknown = ids.find((id) => !providers.some((provider) => provider.id === id))
  if (unknown !== undefined) {
    throw new ConfigurationError('AUTH_TRUST_EMAIL_OF', `no provider is "${unknown}"`)
  }
  return providers.map((provider) =>
    ids.includes(provider.id) ? { ...provider, linkByVerifiedEmail: true } : provider,
  )
}

const ownVariables: readonly string[] = [
  'AUTH_SECRET',
  'AUTH_TRUST_HOST',
  'AUTH_DATABASE',
  'AUTH_CLIENT_ADDRESS_HEADER',
  'AUTH_TRUST_EMAIL_OF',
]

/** A misspelt variable must not leave a provider out, or a setting at its default, unnoticed. */
function refuseUnknown(env: Environment): void {
  const known = new Set([...ownVariables, ...emailVariables, ...providerVariables()])
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
    `no way of signing in is configured: set the variables of one of ${[...providerNames(), 'EMAIL'].join(', ')}`,
  )
}
