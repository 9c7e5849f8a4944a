import { isProtocolField } from '../http/body.ts'
import { cookieTable } from '../http/cookies.ts'
import { createPurposes } from '../sign-in/purposes.ts'
import { createRoutes, routes } from './routes.ts'
import type { Provider } from '../ports/provider.ts'
import { ConfigurationError } from '../lib/errors.ts'
import { checkCalled } from '../lib/called-function.ts'
import { kindError } from '../lib/kind.ts'
import { isList, isObject } from '../lib/members.ts'
import type { Capability, Service } from '../kernel/context.ts'

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

/** Returns what the capabilities contribute, checked against each other. */
export function createCapabilities(
  list: readonly Capability[],
  providers: ReadonlyMap<string, Provider>,
): Service['capabilities'] {
  checkOwners(list, providers.keys())
  const signsInBy = [...providers.values()].flatMap(({ factorType = [] }) => factorType)
  const backups = list.flatMap((each) => each.backups ?? [])
  const isBoth = signsInBy.find((type) => backups.includes(type))
  if (isBoth !== undefined)
    throw new ConfigurationError('use', `${isBoth} is a backup and a way to sign in`)
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
    backups,
  }
}

/** Notes who has what: the service itself, or one capability. */
type Claim = (what: string, owner: string) => void

/** @throws ConfigurationError naming both, if two have the same */
function checkOwners(list: readonly Capability[], ids: Iterable<string>): void {
  const owners = new Map<string, string>()
  const claim: Claim = (what, owner) => {
    const other = owners.get(what)
    if (other !== undefined)
      throw new ConfigurationError('use', `${other} and ${owner} have the ${what}`)
    owners.set(what, owner)
  }
  for (const key of Object.keys(cookieTable)) claim(`cookie ${key}`, 'the service')
  for (const { method, path } of routes) claim(`route ${method} ${path}`, 'the service')
  for (const name of ['signIn', 'link']) claim(`purpose ${name}`, 'the service')
  for (const id of ids) claim(`form ${id}`, 'the service')
  for (const capability of list) claimAll(capability, claim)
}

function claimAll(capability: Capability, claim: Claim): void {
  const { id, routes: own, cookies, purposes, pages, methods, script } = capability
  for (const { method, path } of own ?? []) claim(`route ${method} ${path}`, id)
  for (const key of Object.keys(cookies ?? {})) claim(`cookie ${checkCookie(id, key)}`, id)
  for (const { name } of purposes ?? []) claim(`purpose ${checkPurpose(id, name)}`, id)
  for (const { query } of pages ?? []) claim(`page ${query}`, id)
  for (const [form] of methods ?? []) claim(`form ${form}`, id)
  if (script !== undefined) claim('script', id)
  for (const point of ['proven', 'recency', 'renderForms', 'signer'] as const)
    if (capability[point]) claim(`point ${point}`, id)
}

function checkCookie(id: string, key: string): string {
  if (/^[a-z]{1,32}$/.test(key)) return key
  throw new ConfigurationError('use', `${id}: the cookie ${key} must match [a-z]+`)
}

function checkPurpose(id: string, name: string): string {
  if (name === 'link' || !isProtocolField(name)) return name
  throw new ConfigurationError('use', `${id}: ${name} is a field of the protocol`)
}
