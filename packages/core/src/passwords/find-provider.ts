import type { Provider } from '../ports/provider.ts'
import type { Factor } from '../ports/records.ts'
import type { Service } from '../service.ts'
import { findPasswordFactor, PASSWORD } from './password-factor.ts'

/** Returns the provider by which users sign in by a password; undefined if there is none. */
export function findPasswordProvider({
  providers,
}: Pick<Service, 'providers'>): Provider | undefined {
  return [...providers.values()].find(({ signsInByFactor }) => signsInByFactor === PASSWORD)
}

/** Returns the password of a user; undefined without one, or without a provider of passwords. */
export async function findPasswordOfUser(
  service: Pick<Service, 'providers' | 'storage'>,
  userId: string,
): Promise<Factor | undefined> {
  const { storage } = service
  return storage && findPasswordProvider(service) ? findPasswordFactor(storage, userId) : undefined
}
