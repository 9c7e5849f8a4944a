import { ConfigurationError } from './errors.ts'
import type { Service } from './service.ts'

const services = new WeakMap<object, Service>()

/** Keeps the service of what `createAuth` returns, for entries that are not in every bundle. */
export function keepService<T extends object>(auth: T, service: Service): T {
  services.set(auth, service)
  return auth
}

/**
 * Returns the service of what `createAuth` has returned.
 *
 * @param option The function that needs it
 * @throws ConfigurationError if it is another object, as a copy is
 */
export function getServiceOf(auth: object, option: string): Service {
  const service = services.get(auth)
  if (service) return service
  throw new ConfigurationError(
    option,
    'needs the object that createAuth returned, not a copy of it',
  )
}
