import type { Service, StorageCode } from '../kernel/context.ts'
import type { Provider } from '../ports/provider.ts'
import { requireStorage } from '../storage/guard-storage.ts'

/**
 * Returns the code for the links and single-use tokens of a provider.
 *
 * @throws ConfigurationError without a storage
 */
export function getStorageCode(
  { storage }: Pick<Service, 'storage'>,
  { id }: Pick<Provider, 'id'>,
): StorageCode {
  return requireStorage(storage, `providers.${id}`, []).code
}
