import { ConfigurationError } from './errors.ts'
import type { Service } from './service.ts'

/** The member of the result of `createAuth` that holds its service. Copies have it too. */
const serviceMember = Symbol('latchkey.service')

interface ServiceHolder {
  /** A function, so that an object which is printed does not show the configuration. */
  readonly [serviceMember]?: () => Service
}

/** Adds the service to what `createAuth` returns, for entries that are not in every bundle. */
export function keepService<T extends object>(auth: T, service: Service): T {
  return { ...auth, [serviceMember]: () => service }
}

/**
 * Returns the service of what `createAuth` returned, or of a copy of it.
 *
 * @param option The function that needs it
 * @throws ConfigurationError if it is another object
 */
export function getService(auth: object, option: string): Service {
  const service = (auth as ServiceHolder)[serviceMember]?.()
  if (service) return service
  throw new ConfigurationError(option, 'needs the object that createAuth returned')
}
