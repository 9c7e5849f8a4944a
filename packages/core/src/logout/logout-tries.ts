import { platform } from '#crypto'
import { createCounter } from '../lib/counter.ts'
import { createRevocations } from '../storage/revocations.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { MAX_TOKEN_AGE } from './logout-token.ts'

/** Lets each Logout Token succeed once (I-48). */
export interface LogoutTries {
  /**
   * Runs the work of a token. If it fails, the token can be sent again.
   *
   * @param subject Identifies the token; the storage keeps its hash only
   * @param now Seconds since 1970
   * @param work Ends the sessions, then calls `spend`: the token is refused from then on
   * @throws Error if the token was spent, or another request runs its work
   */
  run(
    subject: string,
    now: number,
    work: (spend: () => Promise<void>) => Promise<void>,
  ): Promise<void>
}

/** Seconds for which a token is remembered: longer than it is accepted, the tolerance of the clocks included. */
const LIFETIME = 2 * MAX_TOKEN_AGE
/** Seconds for which a token is left to the request that began its work. After that, both only delete. */
const LEASE = 20

/**
 * Creates the {@link LogoutTries} of one service. Tries are counted in the storage if it counts, and spent
 * tokens are kept there if it keeps revocations; else in this process.
 */
export function createTries(storage: GuardedStorage): LogoutTries {
  const { capabilities } = storage
  const counts = capabilities.includes('increment') ? storage : { increment: createCounter() }
  const spent = createRevocations(storage)
  // If other processes do not know which tokens are spent, the count says so.
  const window = capabilities.includes('revocations') ? LEASE : LIFETIME
  return {
    async run(subject, now, work) {
      const key = `try ${await platform.hash(subject)}`
      const { count } = await counts.increment(key, window, now)
      try {
        const isSpent = count > 1 || (await spent.getRevokedAt(subject, now)) !== undefined
        if (isSpent) throw new Error('the Logout Token was used before (jti)')
        await work(() => spent.revoke(subject, now, now + LIFETIME))
      } catch (thrown) {
        await counts.increment(key, window, now, -1).catch(() => undefined)
        throw thrown
      }
    },
  }
}
