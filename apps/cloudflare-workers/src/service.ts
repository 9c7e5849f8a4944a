import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import type { SqlStorage } from '@latchkey/storage-sql'
import { readEnvironment } from './environment.ts'
import type { Env } from './environment.ts'

/** The service of one environment. */
export interface Service extends Pick<Auth, 'handle'> {
  /** Undefined where nothing is stored. */
  readonly storage: SqlStorage | undefined
}

const services = new WeakMap<Env, Service>()

/**
 * The service of an environment: made at the first request of an isolate, and kept with its keys and
 * what it knows of identity providers. An isolate has one environment.
 *
 * @throws ConfigurationError whose `option` is the variable or binding that cannot be used
 */
export function serviceOf(env: Env): Service {
  const made = services.get(env)
  if (made) return made
  const { config, storage } = readEnvironment(env)
  const { handle } = createAuth(config)
  const service = { handle, storage }
  services.set(env, service)
  return service
}
