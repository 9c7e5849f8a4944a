import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { nameVariables } from '@latchkey/environment'
import type { SqlStorage } from '@latchkey/storage-sql'
import { readSettings } from './environment.ts'
import type { Env } from './environment.ts'

/** The service of one environment. */
export interface Service extends Pick<Auth, 'handle'> {
  /** Undefined if nothing is stored. */
  readonly storage: SqlStorage | undefined
}

const services = new WeakMap<Env, Service>()

/**
 * Returns the service of an environment. It is created at the first request of an isolate, and kept
 * with its keys and the discovered identity providers: an isolate has one environment.
 *
 * @throws ConfigurationError whose `option` is the variable or binding that cannot be used
 */
export function getService(env: Env): Service {
  const existing = services.get(env)
  if (existing) return existing
  const { config, storage } = readSettings(env)
  const { handle } = nameVariables(() => createAuth(config))
  const service = { handle, storage }
  services.set(env, service)
  return service
}
