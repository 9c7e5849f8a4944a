import { ConfigurationError } from '@latchkey/core'
import type { AuthConfig, Limiter } from '@latchkey/core'
import { readConfig, readDatabase, readEmail, readEnvironment } from '@latchkey/environment'
import type { ServiceConfig, Variables } from '@latchkey/environment'
import { cloudflare } from '@latchkey/mail/cloudflare'
import type { SendEmail } from '@latchkey/mail/cloudflare'
import type { SqlStorage } from '@latchkey/storage-sql'
import { d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import { createLimiter } from './limiter.ts'
import type { RateLimit } from './limiter.ts'
import { providers } from './providers.ts'

/** The bindings of the Worker, and its variables beside them. */
export interface Env extends Readonly<Record<string, unknown>> {
  readonly DB?: D1 | undefined
  readonly MAIL?: SendEmail | undefined
  readonly SIGN_INS?: RateLimit | undefined
}

/** The settings of the Worker. */
export interface Settings {
  readonly config: AuthConfig
  /** Undefined if nothing is stored. */
  readonly storage: SqlStorage | undefined
}

/**
 * Reads the environment of the Worker.
 *
 * @throws EnvironmentError that lists every problem by the name of its variable or binding
 */
export function readSettings(env: Env): Settings {
  return readEnvironment(env, (variables) => {
    const email = readEmail(variables, {
      variable: 'MAIL',
      // `cloudflare` checks the binding.
      createMailer: () => cloudflare(env.MAIL as SendEmail),
    })
    const config = readConfig(variables, { providers, email })
    const storage = readStorage(variables, env, config)
    const limiter = readLimiter(variables, env, storage)
    return {
      config: { ...config, ...(storage && { storage }), ...(limiter && { limiter }) },
      storage,
    }
  })
}

/** Without a database sessions cannot be revoked, so that it has to be left out by name. */
function readStorage(
  variables: Variables,
  env: Env,
  config: ServiceConfig,
): SqlStorage | undefined {
  const database = readDatabase(variables, config)
  if (database === undefined) return variables.attempt(() => createStorage(env), keepName)
  if (database !== 'none') {
    variables.report('AUTH_DATABASE', 'must be none, or not set: users are stored in DB')
  }
  return undefined
}

function createStorage({ DB }: Env): SqlStorage {
  if (typeof DB?.prepare === 'function') return d1Storage(DB)
  throw new ConfigurationError('DB', 'must be a binding of a D1 database')
}

function readLimiter(
  variables: Variables,
  { SIGN_INS }: Env,
  storage: SqlStorage | undefined,
): Limiter | undefined {
  return SIGN_INS && variables.attempt(() => createLimiter(SIGN_INS, storage), keepName)
}

/** Errors of this application name the binding already. */
function keepName(binding: string): string {
  return binding
}
