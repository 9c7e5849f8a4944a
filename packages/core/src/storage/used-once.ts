import { platform } from '#crypto'
import { createReplayGuard } from '../lib/replay-guard.ts'
import type { GuardedStorage } from './guard-storage.ts'

/** Remembers which flows were used: each works once (I-21). */
export interface SpentFlows {
  /**
   * Marks a flow as used.
   *
   * @param salt Identifies the flow; the storage keeps its hash only
   * @param expires When the flow cannot be opened any more, in seconds since 1970
   * @param now Seconds since 1970
   * @returns True for exactly one caller
   *
   * @throws AuthError `Unavailable` if the storage fails
   */
  take(salt: string, expires: number, now: number): Promise<boolean>
}

/**
 * Remembers used flows in the storage if it counts: then a flow works once across all processes. Else
 * in this process, which remembers the last 10,000.
 */
export function createSpentFlows(storage: GuardedStorage | undefined): SpentFlows {
  if (!storage?.capabilities.includes('increment')) {
    const guard = createReplayGuard()
    return { take: async (salt, expires, now) => guard.take(salt, expires, now) }
  }
  return {
    async take(salt, expires, now) {
      const key = `flow ${await platform.hash(salt)}`
      const { count } = await storage.increment(key, Math.max(1, expires - now), now)
      return count === 1
    },
  }
}
