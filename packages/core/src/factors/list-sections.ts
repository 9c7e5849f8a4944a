import type { AccountSection, Service } from '../kernel/context.ts'

/** Returns the parts of the account page that the capabilities in use give, in the order of their ranks. */
export function listSections({
  capabilities: { list },
}: Pick<Service, 'capabilities'>): readonly AccountSection[] {
  const all = list.flatMap(({ account = [] }) => account)
  return all.toSorted((one, other) => one.rank - other.rank)
}
