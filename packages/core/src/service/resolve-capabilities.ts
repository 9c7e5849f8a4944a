import { protocolFields } from '../http/body.ts'
import { cookieTable } from '../http/cookies.ts'
import { createPurposes } from '../sign-in/purposes.ts'
import { createRoutes, routes } from './routes.ts'
import type { Messages } from '../ports/messages.ts'
import type { Provider } from '../ports/provider.ts'
import { ConfigurationError } from '../lib/errors.ts'
import { checkCalled } from '../lib/called-function.ts'
import { checkKind } from '../lib/kind.ts'
import { readText } from '../lib/members.ts'
import type { Capability, Route, Service } from '../kernel/context.ts'
import { getCarried } from '../kernel/context.ts'
import { readMembers } from './known-options.ts'
import { capabilityNames } from './option-names.ts'

/** The name of a capability is part of messages, and of the names of options. */
const ID = /^(?:providers\.[a-z\d-]+|[a-z][\w-]*)$/

/**
 * Checks the option `use`.
 *
 * @returns The capabilities, and those of the providers, by their ids, then what they need: the order of the option decides nothing
 *
 * @throws ConfigurationError naming the capability
 */
export function resolveCapabilities(
  use: readonly Capability[] = [],
  providers: ReadonlyMap<string, Provider>,
): readonly Capability[] {
  checkKind('use', use, 'a list')
  const list: Capability[] = []
  const add = (option: string, value: unknown, isNeeded?: true): void => {
    const capability = copyCapability(option, value)
    if (!list.some(({ id }) => id === capability.id)) list.push(capability)
    else if (!isNeeded) throw new ConfigurationError('use', `${capability.id} is given twice`)
  }
  for (const [index, value] of use.entries()) add(`use[${index}]`, value)
  for (const provider of providers.values()) {
    const carried = getCarried(provider)
    if (carried !== undefined) add(`providers.${provider.id}.capability`, carried)
  }
  list.sort(compareIds)
  // What comes along is visited too: it may need more.
  for (const { id, needs = [] } of list) {
    for (const value of needs) add(`use.${id}.needs`, value, true)
  }
  return list
}

export function compareIds({ id: one }: Capability, { id: other }: Capability): number {
  return one < other ? -1 : 1
}

/**
 * Copies what a capability contributes, so that later changes of the value have no effect.
 *
 * @throws ConfigurationError naming the capability and the member
 */
function copyCapability(option: string, value: unknown): Capability {
  checkCalled(option, value)
  if (!isCapability(value)) {
    throw new ConfigurationError(option, 'must be a capability, such as confirmation()')
  }
  const members = readMembers(option, value, capabilityNames.split(' '))
  return Object.freeze({ ...value, ...members })
}

function isCapability(value: unknown): value is Capability {
  return ID.test(readText(value, 'id') ?? '')
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
  return Object.freeze<Service['capabilities']>({
    list: Object.freeze(list),
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
  })
}

/** What may have one owner only: names by their kind. */
type Owned = Readonly<Record<string, Iterable<string>>>

/** Notes what an owner has. */
type Claim = (owner: string, owned: Owned, patterns?: Readonly<Record<string, string>>) => void

/** Creates what throws a ConfigurationError naming both owners, if two have the same. */
export function createClaim(): Claim {
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
  const { routes: own, pages = [], methods, account = [], cookies = {} } = capability
  return {
    // First: it says best what two providers of passwords have in common.
    factor: capability.factor ? [capability.factor.type] : [],
    route: toPaths(own),
    cookie: Object.keys(cookies),
    // A purpose is asked for by a field of its name.
    field: [...toNames(capability.purposes), ...(capability.fields ?? [])],
    page: pages.map(({ query }) => query),
    form: methods?.keys() ?? [],
    limit: toNames(capability.limits),
    'type name': Object.keys(capability.typeNames?.(messages) ?? {}),
    'factor type': capability.backups ?? [],
    change: account.flatMap(({ changes }) => [...(changes?.keys() ?? [])]),
    point: points.filter((name) => capability[name] !== undefined),
  }
}
