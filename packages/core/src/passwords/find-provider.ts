import type { Provider } from '../ports/provider.ts'
import type { Factor } from '../ports/records.ts'
import type { Service } from '../kernel/context.ts'
import { findPasswordFactor, isOwnPassword, PASSWORD } from './password-factor.ts'

/** Returns the provider by which users sign in by a password; undefined if there is none. */
export function findPasswordProvider({
  providers,
}: Pick<Service, 'providers'>): Provider | undefined {
  return [...providers.values()].find(({ signsInByFactor }) => signsInByFactor === PASSWORD)
}

/** Returns the password by which a user can sign in; undefined without one, or without a provider of passwords. */
export async function findPasswordOfUser(
  service: Pick<Service, 'providers' | 'storage'>,
  userId: string,
): Promise<Factor | undefined> {
  const { storage } = service
  if (!storage || !findPasswordProvider(service)) return undefined
  const factor = await findPasswordFactor(storage, userId)
  return factor && isOwnPassword(factor) ? factor : undefined
}
