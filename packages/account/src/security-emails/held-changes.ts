import { storageLimiter } from '@latchkey/core/limiters'
import type { Limit, SecurityChange } from '@latchkey/core'
import type { Change, Service } from '@latchkey/core/capability'
import { requireStorage } from '@latchkey/core/capability'

/**
 * What can happen often, and gives no lasting way in: these emails are limited. All others are always sent, because the
 * changes themselves are few: limit-changes.ts.
 */
const limited: readonly SecurityChange[] = ['newBrowser', 'secondFactorFailed', 'accountUnlinked']
/** Limited emails to one user. */
const perUser = { times: 5, window: 3600 }
/** Emails about new browsers among them: they must not use up the count of other changes. */
const perUserOfBrowsers = { times: 3, window: 3600 }
/** Seconds for which a change without an email is remembered. */
const HELD_LIFETIME = 400 * 86_400

/** Counts the emails to one user, and remembers whether a change was held back. */
export interface HeldChanges {
  /** Counts an email; returns 0, or the seconds until the limit that it has reached resets. */
  count(change: Pick<Change, 'kind' | 'detail'>): Promise<number>
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
  const take = async (name: string, limit: Limit): Promise<number> => {
    const key = await service.keys.token.sign(`${name} ${userId}`)
    return storageLimiter(storage).take(key, limit, now)
  }
  const { revocations } = service
  const [held, sent] = [`security held ${userId}`, `security sent ${userId}`]
  return {
    async count({ kind, detail }) {
      // A passkey is a factor, also if it is only a way to sign in.
      if (!limited.includes(kind) || detail === 'passkey') return 0
      const isBrowser = kind === 'newBrowser'
      const wait = isBrowser ? await take('securityEmailsOfBrowsers', perUserOfBrowsers) : 0
      return wait || take('securityEmails', perUser)
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
