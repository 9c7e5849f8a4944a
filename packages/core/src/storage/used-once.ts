import { platform } from '#crypto'
import { createExpiringMap } from '../lib/expiring-map.ts'
import type { GuardedStorage } from './guard-storage.ts'

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

/** Uses that a process without a storage remembers. */
const MAX_USES = 10_000

/**
 * Remembers uses in the storage if it counts: then each works once across all processes. Else in this
 * process, which remembers the latest 10,000.
 */
export function createUsedOnce(storage: GuardedStorage | undefined): UsedOnce {
  return storage?.capabilities.includes('increment') ? inStorage(storage) : inProcess()
}

function inStorage(storage: GuardedStorage): UsedOnce {
  return {
    async take(subject, expires, now) {
      const key = `flow ${await platform.hash(subject)}`
      const { count } = await storage.increment(key, Math.max(1, expires - now), now)
      return count === 1
    },
  }
}

function inProcess(): UsedOnce {
  const used = createExpiringMap<true>(MAX_USES)
  return {
    async take(subject, expires, now) {
      if (used.get(subject)) return false
      used.set(subject, true, expires, now)
      return true
    },
  }
}
