import type { StorageGroup } from '../ports/storage.ts'
import type { GuardedStorage } from './guard-storage.ts'

/**
 * Creates what is kept in the storage if it has a capability, else in this process. It is for what may end
 * with the process: an option that promises more needs the capability, see `requireStorage`.
 */
export function chooseStore<T>(
  storage: GuardedStorage | undefined,
  capability: StorageGroup,
  inStorage: (storage: GuardedStorage) => T,
  inProcess: () => T,
): T {
  return storage?.capabilities.includes(capability) ? inStorage(storage) : inProcess()
}
