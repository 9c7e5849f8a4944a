import { ConfigurationError } from '@latchkey/core'
import type { AuthConfig, Limiter, MetadataCache } from '@latchkey/core'
import { storageLimiter } from '@latchkey/core/limiters'
import { durableLimiter, withDurableObjects } from '@latchkey/durable-objects'
import type { ObjectNamespace } from '@latchkey/durable-objects'
import { kvCache } from '@latchkey/durable-objects/kv'
import type { KvNamespace } from '@latchkey/durable-objects/kv'
import { readConfig, readDatabase, readEmail, readEnvironment } from '@latchkey/environment'
import type { ServiceConfig, Variables } from '@latchkey/environment'
import { cloudflare } from '@latchkey/mail/cloudflare'
import type { SendEmail } from '@latchkey/mail/cloudflare'
import type { SqlStorage } from '@latchkey/storage-sql'
import { d1Reads, d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import { createLimiter } from './limiter.ts'
import type { RateLimit } from './limiter.ts'
import { providers } from './providers.ts'

/** The bindings of the Worker, and its variables beside them. */
export interface Env extends Readonly<Record<string, unknown>> {
  readonly DB?: D1 | undefined
  readonly KV?: KvNamespace | undefined
  readonly LATCHKEY?: ObjectNamespace | undefined
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
    const metadataCache = readMetadataCache(variables, env)
    return {
      config: {
        ...config,
        ...(storage && { storage }),
        ...(limiter && { limiter }),
        ...(metadataCache && { metadataCache }),
      },
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

function createStorage({ DB, LATCHKEY }: Env): SqlStorage {
  const database = checkBinding('DB', DB, 'prepare', 'a D1 database')
  const storage = d1Storage(database, database.withSession && { reads: d1Reads({ maxLag: 60 }) })
  return LATCHKEY ? withDurableObjects(storage, checkObjects(LATCHKEY)) : storage
}

/** By default the storage counts. */
function readLimiter(
  variables: Variables,
  { LATCHKEY, SIGN_INS }: Env,
  storage: SqlStorage | undefined,
): Limiter | undefined {
  const createLonger = (): Limiter | undefined => {
    if (storage) return SIGN_INS && storageLimiter(storage)
    return LATCHKEY && durableLimiter(checkObjects(LATCHKEY))
  }
  const longer = variables.attempt(createLonger, keepName)
  return SIGN_INS ? variables.attempt(() => createLimiter(SIGN_INS, longer), keepName) : longer
}

function readMetadataCache(variables: Variables, { KV }: Env): MetadataCache | undefined {
  const create = (): MetadataCache => kvCache(checkBinding('KV', KV, 'put', 'a KV namespace'))
  return KV && variables.attempt(create, keepName)
}

function checkObjects(binding: ObjectNamespace): ObjectNamespace {
  return checkBinding('LATCHKEY', binding, 'idFromName', 'a Durable Object')
}

/**
 * Returns a binding of the expected kind.
 *
 * @param method A method that only this kind has
 * @throws ConfigurationError
 */
function checkBinding<Binding>(
  name: keyof Env,
  binding: Binding | undefined,
  method: keyof Binding,
  kind: string,
): Binding {
  if (binding !== undefined && typeof binding?.[method] === 'function') return binding
  throw new ConfigurationError(String(name), `must be a binding of ${kind}`)
}

/** Errors of this application name the binding already. */
function keepName(binding: string): string {
  return binding
}
