import type { SqlStorage } from '@latchkey/storage-sql'

/** Gives each call to the next of several connections to one database, so that races cross them. */
export function alternate(storages: readonly SqlStorage[]): SqlStorage {
  let calls = 0
  return new Proxy({} as SqlStorage, {
    get: (_target, verb: keyof SqlStorage) => {
      const storage = storages[calls++ % storages.length] as SqlStorage
      return storage[verb]
    },
  })
}
