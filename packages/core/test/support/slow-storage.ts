import { setTimeout as wait } from 'node:timers/promises'
import type { Auth, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'

/** A storage in memory whose calls take a millisecond each. */
export interface SlowStorage {
  readonly storage: Storage
  /** Makes a service note the calls that its answers did not wait for, and returns the list of them. */
  readonly watch: (auth: Pick<Auth, 'handle'>) => readonly string[]
}

/**
 * Creates a {@link SlowStorage}: a platform may end what is not done when a request is answered.
 *
 * @param slowest A method whose calls take ten times as long, longer than the calls after them
 */
export function slowStorage(slowest?: keyof Storage): SlowStorage {
  const pending = new Map<symbol, string>()
  const storage = wrapMethods(memoryStorage(), (method, name) => async (...args) => {
    const id = Symbol(name)
    pending.set(id, name)
    await wait(name === slowest ? 10 : 1)
    try {
      return await method(...args)
    } finally {
      pending.delete(id)
    }
  })
  return {
    storage,
    watch(auth) {
      const late: string[] = []
      const handle = auth.handle.bind(auth)
      Reflect.set(auth, 'handle', async (...args: Parameters<Auth['handle']>) => {
        const response = await handle(...args)
        const { pathname, search } = new URL(args[0].url)
        for (const name of pending.values())
          late.push(`${args[0].method} ${pathname}${search}: ${name}`)
        return response
      })
      return late
    },
  }
}
