import { cookieTable } from './http/cookies.ts'
import type { OwnCookie } from './http/cookies.ts'
import { createPurposes } from './sign-in/purposes.ts'
import { createRoutes } from './routes.ts'
import type { Session } from './session/session.ts'
import type { Provider } from './ports/provider.ts'
import { ConfigurationError } from './errors.ts'
import { checkCalled } from './lib/called-function.ts'
import { kindError } from './lib/kind.ts'
import { isList, isObject } from './lib/members.ts'
import type { Capability, Service } from './kernel/context.ts'

/** The name of a capability is part of messages, and of the names of options. */
const ID = /^(?:providers\.)?[a-z\d][\w-]*$/

/**
 * Checks the option `use`.
 *
 * @param carried What the providers carry
 * @returns The capabilities in the order of their ids: the order of the option decides nothing
 *
 * @throws ConfigurationError naming the capability
 */
export function resolveCapabilities(
  use: readonly Capability[] = [],
  ...carried: readonly (Capability | undefined)[]
): readonly Capability[] {
  if (!isList(use)) throw kindError('use', 'a list such as [confirmation()]', use)
  const byId = new Map<string, Capability>()
  const given = [...use, ...carried.filter((each) => each !== undefined)]
  for (const [index, capability] of given.entries()) {
    checkCalled('use', capability)
    const { id }: Partial<Capability> = isObject(capability) ? capability : {}
    if (typeof id !== 'string' || !ID.test(id)) {
      throw new ConfigurationError('use', `[${index}] must be a capability, such as confirmation()`)
    }
    if (byId.has(id)) throw new ConfigurationError('use', `${id} is given twice`)
    byId.set(id, capability)
  }
  return [...byId.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** Returns what the capabilities contribute, checked against each other. */
export function createCapabilities(
  list: readonly Capability[],
  providers: ReadonlyMap<string, Provider>,
): Service['capabilities'] {
  const purposes = createPurposes(list, providers)
  return {
    list,
    routes: createRoutes(list),
    purposes,
    pages: list.flatMap(({ pages = [] }) => pages),
    fields: [...purposes.keys(), ...list.flatMap(({ fields = [] }) => fields)],
    cookies: collectCookies(list),
    methods: new Map(list.flatMap(({ methods = [] }) => [...methods])),
    recency: findOwned(list, 'recency'),
    proven: findOwned(list, 'proven'),
  }
}

/** @throws ConfigurationError if two have the same cookie, or one has a cookie of the service */
function collectCookies(list: readonly Capability[]): Readonly<Record<string, OwnCookie>> {
  const owners = new Map(Object.keys(cookieTable).map((key) => [key, 'the service']))
  const collected: Record<string, OwnCookie> = {}
  for (const { id, cookies = {} } of list) {
    for (const [key, cookie] of Object.entries(cookies)) {
      const owner = owners.get(key)
      if (owner !== undefined)
        throw new ConfigurationError('use', `${owner} and ${id} have the cookie ${key}`)
      if (!/^[a-z]{1,32}$/.test(key))
        throw new ConfigurationError('use', `${id}: the cookie ${key} must match [a-z]+`)
      owners.set(key, id)
      collected[key] = cookie
    }
  }
  return collected
}

/**
 * Returns a contribution that only one capability has.
 *
 * @throws ConfigurationError naming both, if two have it
 */
function findOwned<Name extends 'proven' | 'recency'>(
  list: readonly Capability[],
  name: Name,
): Capability[Name] | undefined {
  const [owner, other] = list.filter((each) => each[name] !== undefined)
  if (other) throw new ConfigurationError('use', `${owner?.id} and ${other.id} both answer ${name}`)
  return owner?.[name]
}

/** Returns whether a session may be renewed: the point `renewed`. */
export async function isStillEnough(
  list: readonly Capability[],
  session: Session,
): Promise<boolean> {
  for (const { renewed } of list) if (renewed && !(await renewed(session))) return false
  return true
}
