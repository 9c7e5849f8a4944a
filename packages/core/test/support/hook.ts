import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'

/** A storage in memory, and a function that arms its call. */
export interface Hook {
  readonly storage: Storage
  /** @param skip How many calls pass before. Default: 0 */
  readonly arm: (act: () => Promise<unknown>, skip?: number) => void
}

/**
 * Calls `act` once, beside the given call of a storage.
 *
 * @param storage Default: one in memory
 */
export function hook(
  name: keyof Storage,
  when: 'before' | 'after',
  storage: Storage = memoryStorage(),
): Hook {
  let armed: { act: () => Promise<unknown>; skip: number } | undefined
  const call = storage[name] as unknown as (...args: unknown[]) => Promise<unknown>
  const hooked = async (...args: unknown[]): Promise<unknown> => {
    let act: (() => Promise<unknown>) | undefined
    if (armed && armed.skip-- === 0) {
      act = armed.act
      armed = undefined
    }
    if (when === 'before') await act?.()
    const answer = await call(...args)
    if (when === 'after') await act?.()
    return answer
  }
  return {
    storage: { ...storage, [name]: hooked },
    arm: (act, skip = 0) => {
      armed = { act, skip }
    },
  }
}
