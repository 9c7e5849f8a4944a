import type { AuthConfig } from './config.ts'
import { ConfigurationError } from '../lib/errors.ts'
import type { Service } from './context.ts'
import type { SessionToken } from '../session/session-claims.ts'

/**
 * The member of the result of `createAuth` that holds its service. Copies have it too. It is in the registry
 * of symbols, because the command line has its own copy of this module.
 */
const serviceMember = Symbol.for('latchkey.service')

interface ServiceHolder {
  /** A function, so that an object which is printed does not show the configuration. */
  readonly [serviceMember]: () => Held
}

interface Held {
  readonly service: Service
  /** As the application passed it. */
  readonly config: AuthConfig<unknown, SessionToken>
}

/** The member of an object whose service is created later, such as the route handlers of Next.js. */
const pendingMember = Symbol.for('latchkey.pending-service')

interface PendingHolder {
  readonly [pendingMember]: () => Promise<object>
}

/** Adds the service to what `createAuth` returns, for entries that are not in every bundle. */
export function keepService<T extends object>(auth: T, held: Held): T {
  return { ...auth, [serviceMember]: () => held }
}

/**
 * Returns the service of what `createAuth` returned, or of a copy of it.
 *
 * @param option The function that needs it
 * @throws ConfigurationError if it is another object
 */
export function getService(auth: object, option: string): Service {
  if (holdsService(auth)) return auth[serviceMember]().service
  throw new ConfigurationError(option, 'needs the object that createAuth returned')
}

/**
 * Adds what creates the service to an object that an application exports in its place.
 *
 * @param getAuth Returns what `createAuth` returned, or a copy of it
 */
export function keepPending<T extends object>(target: T, getAuth: () => Promise<object>): T {
  return { ...target, [pendingMember]: getAuth }
}

/**
 * Returns the configuration of what `createAuth` returned, or of what `keepPending` has marked; undefined
 * for any other value. The service may be of another copy of this package: `latchkey doctor` reads the
 * configuration of an application.
 *
 * @throws Whatever a pending service cannot be created for
 */
export async function findConfig(
  value: unknown,
): Promise<AuthConfig<unknown, SessionToken> | undefined> {
  const holder: object = Object(value)
  const auth = isPending(holder) ? await holder[pendingMember]() : holder
  return holdsService(auth) ? auth[serviceMember]().config : undefined
}

function holdsService(auth: object): auth is ServiceHolder {
  return serviceMember in auth
}

function isPending(target: object): target is PendingHolder {
  return pendingMember in target
}
