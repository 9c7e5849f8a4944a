import type { Provider } from '../ports/provider.ts'

/** Returns whether the subjects of a provider are ids of users, and its form proves who they are. */
export function provesUser({ kind = 'account' }: Pick<Provider, 'kind'>): boolean {
  return kind !== 'account'
}
