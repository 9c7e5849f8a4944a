import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'

/** A storage that can be made to fail. */
export interface BreakableStorage {
  readonly storage: Storage
  /** From now on these verbs reject, or all of them; with an empty list everything works again. */
  readonly fail: (verbs?: readonly (keyof Storage)[]) => void
}

type Verb = (...args: readonly unknown[]) => Promise<unknown>

/** A storage in memory whose verbs reject with `secret detail` while they are told to fail. */
export function breakableStorage(): BreakableStorage {
  const verbs = Object.entries(memoryStorage() as unknown as Record<string, Verb>)
  let failing: readonly string[] = []
  const guarded = verbs.map(([name, verb]) => [
    name,
    (...args: readonly unknown[]) =>
      failing.includes(name) ? Promise.reject(new Error('secret detail')) : verb(...args),
  ])
  return {
    storage: Object.fromEntries(guarded) as Storage,
    fail(names) {
      failing = names ?? verbs.map(([name]) => name)
    },
  }
}
