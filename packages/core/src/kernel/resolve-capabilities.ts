import { ConfigurationError } from '../errors.ts'
import { checkCalled } from '../lib/called-function.ts'
import { kindError } from '../lib/kind.ts'
import { isList, isObject } from '../lib/members.ts'
import type { Capability } from './context.ts'

/** The name of a capability is part of messages, and of the names of options. */
const ID = /^[a-z][A-Za-z\d]*$/

/**
 * Checks the option `use`.
 *
 * @returns The capabilities in the order of their ids: the order of the option decides nothing
 *
 * @throws ConfigurationError naming the capability
 */
export function resolveCapabilities(
  use: readonly Capability[] = [],
  ...named: readonly (Capability | undefined)[]
): readonly Capability[] {
  if (!isList(use)) throw kindError('use', 'a list such as [confirmation()]', use)
  const byId = new Map<string, Capability>()
  const given = [...use, ...named.filter((each) => each !== undefined)]
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
