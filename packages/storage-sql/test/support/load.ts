import type { SqlStorage } from '@latchkey/storage-sql'
import { buildAccount, buildUser, NOW } from '@latchkey/test-support/records'

/** Calls that run one after the other in several places simultaneously. */
export interface Load {
  /** Returns what happened since the last time. */
  readonly take: () => { readonly successes: number; readonly errors: readonly string[] }
  readonly stop: () => Promise<unknown>
}

/** Starts calls that read, count and create users, one after the other in each place. */
export function startLoad(storage: SqlStorage, userId: string, places: number): Load {
  const state = { isRunning: true }
  let successes = 0
  let errors: string[] = []
  const calls = [
    () => storage.getUser(userId),
    () => storage.increment(crypto.randomUUID(), 60, NOW),
    () => storage.createUser(buildUser(), buildAccount()),
  ]
  const work = async (place: number): Promise<void> => {
    for (let i = place; state.isRunning; i++) {
      const call = calls[i % calls.length] ?? calls[0]
      await call?.().then(
        () => successes++,
        (error: Error) => errors.push(error.message),
      )
    }
  }
  const working = Array.from({ length: places }, (_, place) => work(place))
  return {
    take() {
      const taken = { successes, errors }
      successes = 0
      errors = []
      return taken
    },
    async stop() {
      state.isRunning = false
      await Promise.all(working)
    },
  }
}
