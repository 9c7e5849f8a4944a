import type { Service } from '../service.ts'
import type { Account } from '../ports/records.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** An account of a user, without its tokens. */
export type AccountInfo = Pick<Account, 'provider' | 'type' | 'providerAccountId'>

/** What becomes of {@link AuthAccounts.unlink}. */
export type Unlinked = 'unlinked' | 'last' | 'unknown'

/** The accounts of stored users (I-38, I-39). To link one, post `link=true` to `/signin/:provider`. */
export interface AuthAccounts {
  /**
   * A user's accounts, oldest first.
   *
   * @throws ConfigurationError where the storage cannot list them
   * @throws AuthError `Unavailable` where the storage fails
   */
  list(userId: string): Promise<readonly AccountInfo[]>
  /**
   * Unlinks an account from a user: `unlinked`, `unknown` where the user has none such, or `last`,
   * and nothing changed, where it is the only way in that they have.
   */
  unlink(
    userId: string,
    account: Pick<Account, 'provider' | 'providerAccountId'>,
  ): Promise<Unlinked>
}

export function createAuthAccounts({ storage }: Service): AuthAccounts {
  const lists = (): GuardedStorage => requireStorage(storage, 'auth.accounts', ['accountLists'])
  const list: AuthAccounts['list'] = async (userId) => {
    const accounts = await lists().listAccounts(userId)
    return accounts.map(({ provider, type, providerAccountId }) => ({
      provider,
      type,
      providerAccountId,
    }))
  }
  return {
    list,
    async unlink(userId, { provider, providerAccountId }) {
      if (await lists().unlinkAccount(userId, provider, providerAccountId)) return 'unlinked'
      const accounts = await list(userId)
      const isTheirs = accounts.some(
        (account) =>
          account.provider === provider && account.providerAccountId === providerAccountId,
      )
      return isTheirs ? 'last' : 'unknown'
    },
  }
}
