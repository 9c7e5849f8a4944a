import { platform } from '#crypto'
import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import { sleep } from '../lib/clock.ts'
import type { Provider } from '../ports/provider.ts'
import type { Account, Tokens } from '../ports/records.ts'
import { requireStorage, tokenCapabilities } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { exchange } from './held-tokens.ts'
import type { HeldTokens, IsWanted } from './held-tokens.ts'

/** Seconds by which the clocks of two processes may differ: each counts the lease by its own. */
const MAX_CLOCK_SKEW = 60
/** Milliseconds between two looks at a refresh of another request. */
const PAUSE = 100

/** Finds the tokens in the storage. */
export async function findInStorage(
  ctx: Context,
  provider: Provider,
  isWanted: IsWanted,
): Promise<HeldTokens | undefined> {
  const storage = requireStorage(ctx.service.storage, 'auth.getAccessToken', tokenCapabilities)
  const { session } = await ctx.readSession()
  if (!session) return undefined
  const userId = session.user?.id ?? session.token.sub
  const find: Find = async () => (await storage.listAccounts(userId)).find(isWanted)
  const account = await find()
  return (
    account && {
      tokens: account,
      refresh: (refreshToken) =>
        refreshOnce({ ctx, storage, provider, account, find }, refreshToken),
      getCookies: async () => [],
    }
  )
}

type Find = () => Promise<Account | undefined>

/** An account whose access token has expired. */
interface Expired {
  readonly ctx: Context
  readonly storage: GuardedStorage
  readonly provider: Provider
  readonly account: Account
  readonly find: Find
}

async function refreshOnce(expired: Expired, refreshToken: string): Promise<Tokens | undefined> {
  const { ctx, storage, provider, account, find } = expired
  // The tokens themselves are the lock: the first request that counts them uses them.
  const lock = `refresh ${await platform.hash(toState(account))}`
  const lease = Math.ceil(ctx.service.timeouts.callback) * 2 + MAX_CLOCK_SKEW
  const { count } = await storage.increment(lock, lease, ctx.now)
  if (count > 1) return waitForRefresh(expired, lock)
  const tokens = await exchange(ctx, provider, refreshToken).catch((thrown: unknown) => {
    ctx.service.failedRefreshes.set(lock, true, ctx.now + lease, ctx.now)
    throw thrown
  })
  const update = (): Promise<boolean> =>
    storage.updateAccount(provider.id, account.providerAccountId, tokens, refreshToken)
  // The previous refresh token may be invalid now: one failure must not lose the new one.
  if (await update().catch(update)) return tokens
  // The user has signed in again meanwhile: those tokens are newer.
  return find()
}

/** Returns what a refresh changes. */
function toState({ refresh_token = '', access_token = '', expires_at = 0 }: Account): string {
  return [refresh_token, access_token, expires_at].join(' ')
}

/** Waits until another request has refreshed the tokens, at most as long as a refresh may take. */
async function waitForRefresh(
  { ctx, find, account: previous }: Expired,
  lock: string,
): Promise<Tokens | undefined> {
  const { timeouts, runtime, failedRefreshes } = ctx.service
  for (let waited = 0; waited < timeouts.callback * 1000; waited += PAUSE) {
    if (failedRefreshes.get(lock, ctx.now)) break
    await sleep(runtime, PAUSE)
    const account = await find()
    if (!account) return undefined
    if (toState(account) !== toState(previous)) return account
  }
  throw new AuthError('OAuthSignin', 'a concurrent token refresh failed')
}
