import { storageLimiter } from '../limits/limiters.ts'
import type { Limit } from '../ports/limiter.ts'
import type { SecurityChange } from '../ports/records.ts'
import type { Service } from '../service.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import { createRevocations } from '../storage/revocations.ts'

/** Emails about security to one user. */
const perUser = { times: 5, window: 3600 }
/** Emails about new browsers among them: they must not use up the count of other changes. */
const perUserOfBrowsers = { times: 3, window: 3600 }
/** Seconds for which a change without an email is remembered. */
const HELD_LIFETIME = 400 * 86_400

/** Counts the emails to one user, and remembers whether a change was held back. */
export interface HeldChanges {
  /** Counts an email; false if a limit is reached. */
  count(change: SecurityChange): Promise<boolean>
  /** Records that a change was not in an email. */
  hold(): Promise<void>
  /** Returns whether a change was held back since the last email. */
  hasHeld(): Promise<boolean>
  /** Records that an email was sent that says so. */
  release(): Promise<void>
}

/** Creates the count of one user, at a time in seconds since 1970. */
export function createHeldChanges(service: Service, userId: string, now: number): HeldChanges {
  const storage = requireStorage(service.storage, 'securityEmails', ['increment'])
  const take = async (name: string, limit: Limit): Promise<boolean> => {
    const key = await service.keys.token.sign(`${name} ${userId}`)
    return (await storageLimiter(storage).take(key, limit, now)) === 0
  }
  const revocations = createRevocations(storage)
  const [held, sent] = [`security held ${userId}`, `security sent ${userId}`]
  return {
    async count(change) {
      const isBrowser = change === 'newBrowser'
      if (isBrowser && !(await take('securityEmailsOfBrowsers', perUserOfBrowsers))) return false
      return take('securityEmails', perUser)
    },
    hold() {
      // The mailer may have failed after a later email was sent.
      const heldAt = Math.floor(service.runtime.now() / 1000)
      return revocations.revoke(held, heldAt, heldAt + HELD_LIFETIME)
    },
    async hasHeld() {
      const heldAt = await revocations.getRevokedAt(held, now)
      if (heldAt === undefined) return false
      // In the same second it is not known which of the two was first.
      return heldAt >= ((await revocations.getRevokedAt(sent, now)) ?? 0)
    },
    release: () => revocations.revoke(sent, now, now + HELD_LIFETIME),
  }
}
