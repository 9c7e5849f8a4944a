import type { Context, Service } from '../kernel/context.ts'
import { callListener } from '../kernel/emit.ts'
import { isStorableId } from '../lib/storable-text.ts'
import { changed } from '../kernel/points.ts'
import type { Account, AccountInfo } from '../ports/records.ts'
import type { AccountKey } from '../ports/storage.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** The outcome of {@link AuthAccounts.unlink}. */
export type UnlinkResult = 'unlinked' | 'last' | 'unknown'

/** The accounts of stored users. To link one, post `link=true` to `/signin/:provider`. */
export interface AuthAccounts {
  /**
   * Returns a user's accounts, oldest first.
   *
   * @throws ConfigurationError if the storage cannot list them
   * @throws AuthError `Unavailable` if the storage fails
   */
  list(userId: string): Promise<readonly AccountInfo[]>
  /**
   * Unlinks an account from a user. The event `unlinkAccount` is emitted, and its listener is waited for.
   *
   * @returns `unlinked`; `unknown` if the user has no such account; `last`, and nothing changed, if it
   *   is the user's only way to sign in
   *
   * @throws ConfigurationError if the storage cannot list accounts
   * @throws AuthError `Unavailable` if the storage fails
   */
  unlink(
    userId: string,
    account: Pick<Account, 'provider' | 'providerAccountId'>,
  ): Promise<UnlinkResult>
}

/**
 * Creates `auth.accounts`.
 *
 * @param ctx The request that unlinks accounts. Default: a call of the server
 */
export function createAuthAccounts(service: Service, ctx?: Context): AuthAccounts {
  const getStorage = (): GuardedStorage =>
    requireStorage(service.storage, 'auth.accounts', ['accountLists'])
  return {
    async list(userId) {
      const accounts = await getStorage().listAccounts(userId)
      return accounts.map(toAccountInfo)
    },
    async unlink(userId, account) {
      const result = await unlinkAccount(service, userId, account, ctx)
      const detail = account.provider
      if (result === 'unlinked')
        await changed({ service, ctx, kind: 'accountUnlinked', userId, detail })
      return result
    },
  }
}

function toAccountInfo(account: Account): AccountInfo {
  const { provider, type, providerAccountId, createdAt, lastUsedAt } = account
  const times = { ...(createdAt && { createdAt }), ...(lastUsedAt && { lastUsedAt }) }
  return { provider, type, providerAccountId, ...times }
}

/** Unlinks an account, of which the user is not told: another change includes it. */
export async function unlinkAccount(
  service: Service,
  userId: string,
  { provider, providerAccountId }: AccountKey,
  ctx: Context | undefined,
): Promise<UnlinkResult> {
  if (!isStorableId(provider) || !isStorableId(providerAccountId)) return 'unknown'
  const storage = requireStorage(service.storage, 'auth.accounts', ['accountLists'])
  const event = { userId, account: { provider, providerAccountId } }
  const rows = service.outbox?.toRows('unlinkAccount', event, ctx)
  if (await storage.unlinkAccount(userId, provider, providerAccountId, rows)) {
    service.outbox?.deliverSoon(ctx)
    await callListener(service, 'unlinkAccount', event)
    return 'unlinked'
  }
  const accounts = await storage.listAccounts(userId)
  const isTheirs = accounts.some(
    (account) => account.provider === provider && account.providerAccountId === providerAccountId,
  )
  return isTheirs ? 'last' : 'unknown'
}
