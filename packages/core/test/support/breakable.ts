import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'

/** A storage whose methods can be made to fail. */
export interface BreakableStorage {
  readonly storage: Storage
  /** Makes the methods reject, by default all; an empty list makes all work again. */
  readonly fail: (methods?: readonly (keyof Storage)[]) => void
}

type Method = (...args: readonly unknown[]) => Promise<unknown>

/** Creates a storage in memory whose failing methods reject with `secret detail`. */
export function breakableStorage(): BreakableStorage {
  const methods = Object.entries(memoryStorage() as unknown as Record<string, Method>)
  let failing: readonly string[] = []
  const guarded = methods.map(([name, method]) => [
    name,
    (...args: readonly unknown[]) =>
      failing.includes(name) ? Promise.reject(new Error('secret detail')) : method(...args),
  ])
  return {
    storage: Object.fromEntries(guarded) as Storage,
    fail(names) {
      failing = names ?? methods.map(([name]) => name)
    },
  }
}
