import { protocolFields } from '../http/body.ts'
import { cookieTable } from '../http/cookies.ts'
import { createPurposes } from '../sign-in/purposes.ts'
import { createRoutes, routes } from './routes.ts'
import type { Messages } from '../ports/messages.ts'
import type { Provider } from '../ports/provider.ts'
import { ConfigurationError } from '../lib/errors.ts'
import { checkCalled } from '../lib/called-function.ts'
import { kindError } from '../lib/kind.ts'
import { isList, isObject } from '../lib/members.ts'
import type { Capability, Route, Service } from '../kernel/context.ts'

/** The name of a capability is part of messages, and of the names of options. */
const ID = /^(?:providers\.[a-z\d-]+|[a-z][\w-]*)$/

/**
 * Checks the option `use`.
 *
 * @param carried What the providers carry
 * @returns The capabilities, and what they need, in the order of their ids: the order of the option decides nothing
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
  const list = [...byId.values()].toSorted(compareIds)
  // What comes along is visited too: it may need more.
  for (const { needs = [] } of list) {
    for (const needed of needs) {
      if (byId.has(needed.id)) continue
      byId.set(needed.id, needed)
      list.push(needed)
    }
  }
  return list.toSorted(compareIds)
}

function compareIds({ id: one }: Capability, { id: other }: Capability): number {
  return one < other ? -1 : 1
}

/**
 * Returns what the capabilities contribute, checked against each other.
 *
 * @param messages Texts of any language
 */
export function createCapabilities(
  list: readonly Capability[],
  providers: ReadonlyMap<string, Provider>,
  messages: Messages,
): Service['capabilities'] {
  const signsInBy = [...providers.values()].flatMap(({ factorType = [] }) => factorType)
  const claim = createClaim()
  claim('the service', {
    cookie: Object.keys(cookieTable),
    route: toPaths(routes),
    field: [...protocolFields, 'signIn'],
  })
  claim('the providers', { form: providers.keys(), 'factor type': new Set(signsInBy) })
  for (const capability of list) claim(capability.id, listOwned(capability, messages), patterns)
  const purposes = createPurposes(list, providers)
  return {
    list,
    routes: createRoutes(list),
    purposes,
    pages: list.flatMap(({ pages = [] }) => pages),
    fields: [...purposes.keys(), ...list.flatMap(({ fields = [] }) => fields)],
    cookies: Object.assign({}, ...list.map(({ cookies }) => cookies)),
    methods: new Map(list.flatMap(({ methods = [] }) => [...methods])),
    recency: list.map(({ recency }) => recency).find(Boolean),
    renderForms: list.map(({ renderForms }) => renderForms).find(Boolean),
    signer: list.map(({ signer }) => signer).find(Boolean),
    proven: list.map(({ proven }) => proven).find(Boolean),
    signsInBy,
    backups: list.flatMap(({ backups = [] }) => backups),
  }
}

/** What may have one owner only: names by their kind. */
type Owned = Readonly<Record<string, Iterable<string>>>

/** Notes what an owner has. */
type Claim = (owner: string, owned: Owned, patterns?: Readonly<Record<string, string>>) => void

/** Creates what throws a ConfigurationError naming both owners, if two have the same. */
function createClaim(): Claim {
  const owners = new Map<string, string>()
  return (owner, owned, patterns = {}) => {
    for (const [kind, names] of Object.entries(owned)) {
      const pattern = patterns[kind]
      for (const name of names) {
        const what = `${kind} ${name}`
        if (pattern && !RegExp(`^${pattern}$`).test(name))
          throw new ConfigurationError('use', `${owner}: the ${what} must match ${pattern}`)
        const other = owners.get(what)
        if (other) throw new ConfigurationError('use', `${other} and ${owner} have the ${what}`)
        owners.set(what, owner)
      }
    }
  }
}

/** The names that capabilities may give. A route has one segment: others name a provider. */
const patterns = { cookie: '[a-z]{1,32}', route: '(GET|POST) /[a-z][a-z-]*' }

const points = ['getTokenSuffix', 'proven', 'recency', 'renderForms', 'script', 'signer'] as const

const toNames = (rows: readonly { readonly name: string }[] = []): readonly string[] =>
  rows.map(({ name }) => name)

const toPaths = (rows: readonly Pick<Route, 'method' | 'path'>[] = []): readonly string[] =>
  rows.map(({ method, path }) => `${method} ${path}`)

/** Returns what only one capability may have. */
function listOwned(capability: Capability, messages: Messages): Owned {
  const { routes: own, pages = [], methods, cookies = {} } = capability
  return {
    route: toPaths(own),
    cookie: Object.keys(cookies),
    // A purpose is asked for by a field of its name.
    field: [...toNames(capability.purposes), ...(capability.fields ?? [])],
    page: pages.map(({ query }) => query),
    form: methods?.keys() ?? [],
    limit: toNames(capability.limits),
    'type name': Object.keys(capability.typeNames?.(messages) ?? {}),
    'factor type': capability.backups ?? [],
    point: points.filter((name) => capability[name] !== undefined),
  }
}
