import type { SqlStorage } from '@latchkey/storage-sql'

/** Creates a storage that uses the next of several connections for each call. */
export function alternate(storages: readonly SqlStorage[]): SqlStorage {
  let calls = 0
  return new Proxy({} as SqlStorage, {
    get: (_target, method: keyof SqlStorage) => {
      const storage = storages[calls++ % storages.length] as SqlStorage
      return storage[method]
    },
  })
}
