import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'

/** A storage whose methods can be made to fail. */
export interface BreakableStorage {
  readonly storage: Storage
  /** Makes the methods reject, by default all; an empty list makes all work again. */
  readonly fail: (methods?: readonly (keyof Storage)[]) => void
}

/** Creates a storage in memory whose failing methods reject with `secret detail`. */
export function breakableStorage(): BreakableStorage {
  let failing: readonly string[] = []
  const storage = wrapMethods(
    memoryStorage(),
    (method, name) =>
      (...args) =>
        failing.includes(name) ? Promise.reject(new Error('secret detail')) : method(...args),
  )
  return {
    storage,
    fail(names) {
      failing = names ?? Object.keys(storage)
    },
  }
}
