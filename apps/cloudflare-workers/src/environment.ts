import { ConfigurationError } from '@latchkey/core'
import type { AuthConfig, Provider } from '@latchkey/core'
import type { SqlStorage } from '@latchkey/storage-sql'
import { d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import { createLimiter } from './limiter.ts'
import type { RateLimit } from './limiter.ts'
import { emailVariables, readEmail } from './mail.ts'
import type { MailEnv } from './mail.ts'
import { providerVariables, readProviders } from './providers.ts'
import { read, readFlag, readList, readSecrets } from './variables.ts'
import type { Variables } from './variables.ts'

/** What the Worker is given: its bindings, and variables beside them. */
export interface Env extends MailEnv {
  readonly DB?: D1 | undefined
  readonly SIGN_INS?: RateLimit | undefined
}

/** What the environment says. */
export interface Settings {
  readonly config: AuthConfig
  /** Undefined where nothing is stored. */
  readonly storage: SqlStorage | undefined
}

/**
 * Reads the environment of the Worker.
 *
 * @throws ConfigurationError whose `option` is the variable or binding that cannot be used
 */
export function readEnvironment(env: Env): Settings {
  refuseUnknown(env)
  const secret = readSecrets(env)
  const serviceUrl = read(env, 'SERVICE_URL')
  const trustHost = readFlag(env, 'AUTH_TRUST_HOST')
  const byMail = readEmail(env)
  const providers = trusting(env, [...(byMail ? [byMail] : []), ...readProviders(env)])
  if (providers.length === 0) throw noProvider()
  const storage = readDatabase(env, providers)
  const limiter = env.SIGN_INS && createLimiter(env.SIGN_INS, storage)
  return {
    config: {
      secret,
      serviceUrl,
      trustHost,
      providers,
      ...(storage && { storage }),
      ...(limiter && { limiter }),
    },
    storage,
  }
}

/** Without a database sessions cannot be ended from here, so that it has to be left out by name. */
function readDatabase(env: Env, providers: readonly Provider[]): SqlStorage | undefined {
  const setting = read(env, 'AUTH_DATABASE')
  if (setting === undefined) return d1Storage(databaseBinding(env))
  if (setting !== 'none') throw databaseError('must be none, or not set: users are kept in DB')
  if (!providers.some(({ needs = [] }) => needs.length > 0)) return undefined
  throw databaseError('must not be none: sign-in by e-mail needs one')
}

function databaseBinding({ DB }: Env): D1 {
  if (typeof DB?.prepare === 'function') return DB
  throw new ConfigurationError('DB', 'must be a binding of a D1 database')
}

/** Marks the providers of `AUTH_TRUST_EMAIL_OF`, whose word on addresses is trusted (I-38). */
function trusting(env: Env, providers: readonly Provider[]): readonly Provider[] {
  const ids = readList(env, 'AUTH_TRUST_EMAIL_OF')
  const unknown = ids.find((id) => !providers.some((provider) => provider.id === id))
  if (unknown !== undefined) {
    throw new ConfigurationError('AUTH_TRUST_EMAIL_OF', `no provider is "${unknown}"`)
  }
  return providers.map((provider) =>
    ids.includes(provider.id) ? { ...provider, linkByVerifiedEmail: true } : provider,
  )
}

const known: ReadonlySet<string> = new Set([
  'AUTH_SECRET',
  'AUTH_TRUST_HOST',
  'AUTH_DATABASE',
  'AUTH_TRUST_EMAIL_OF',
  ...emailVariables,
  ...providerVariables,
])

/** A misspelt variable must not leave a provider out, or a setting at its default, unnoticed. */
function refuseUnknown(env: Variables): void {
  const unknown = Object.keys(env).find((name) => name.startsWith('AUTH_') && !known.has(name))
  if (unknown !== undefined)
    throw new ConfigurationError(unknown, 'is not a variable of the Worker')
}

function databaseError(problem: string): ConfigurationError {
  return new ConfigurationError('AUTH_DATABASE', problem)
}

function noProvider(): ConfigurationError {
  return new ConfigurationError(
    'AUTH_<PROVIDER>_ID',
    'no way of signing in is configured: set the variables of one of GITHUB, GOOGLE, OIDC, EMAIL',
  )
}
