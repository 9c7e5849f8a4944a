import type { AuthAccounts } from '../api/accounts.ts'
import type { AuthUsers } from '../api/users.ts'
import type { SecurityFacts, UserCalls } from './security-notices.ts'

/** Notifies a user of a change. */
type Notify = (facts: SecurityFacts) => Promise<void>

/**
 * Wraps the calls of the server that change what users are notified of. `auth.users.update` unlinks accounts itself: it
 * has one email, because it does not call what is wrapped.
 */
export function watchCalls({ accounts, users }: UserCalls, notify: Notify): UserCalls {
  return { accounts: watchAccounts(accounts, notify), users: watchUsers(users, notify) }
}

function watchAccounts(accounts: AuthAccounts, notify: Notify): AuthAccounts {
  return {
    ...accounts,
    async unlink(userId, account) {
      const result = await accounts.unlink(userId, account)
      const facts = { userId, change: 'accountUnlinked', detail: account.provider } as const
      if (result === 'unlinked') await notify(facts)
      return result
    },
  }
}

function watchUsers(users: AuthUsers, notify: Notify): AuthUsers {
  return {
    ...users,
    async update(id, changes) {
      if (changes.email === undefined) return users.update(id, changes)
      const previous = await users.get(id)
      try {
        return await users.update(id, changes)
      } finally {
        // The call may have failed after it changed the email address.
        const current = await users.get(id).catch(() => undefined)
        const hasNewEmail = current && previous && current.email !== previous.email
        if (hasNewEmail) await notify({ userId: id, change: 'emailChanged', previous })
      }
    },
  }
}
