import { platform } from '#crypto'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { createLimiter } from './resolve-limiter.ts'

/** Remembers what may be used once: flows (I-21) and Logout Tokens (I-48). */
export interface UsedOnce {
  /**
   * Marks something as used.
   *
   * @param subject Identifies it; the storage keeps its hash only
   * @param expires When it cannot be used any more, in seconds since 1970
   * @param now Seconds since 1970
   * @returns True for exactly one caller
   *
   * @throws AuthError `Unavailable` if the storage fails
   */
  take(subject: string, expires: number, now: number): Promise<boolean>
}

/** A use is a count of one: in the storage if it counts, and then across all processes, else in this process. */
export function createUsedOnce(storage: GuardedStorage | undefined): UsedOnce {
  const limiter = createLimiter(storage)
  return {
    async take(subject, expires, now) {
      const limit = { times: 1, window: Math.max(1, expires - now) }
      return (await limiter.take(`flow ${await platform.hash(subject)}`, limit, now)) === 0
    },
  }
}
