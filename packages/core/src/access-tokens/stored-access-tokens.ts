import { platform } from '#crypto'
import type { Context } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import { keepAlive } from '../lib/keep-alive.ts'
import { sleep } from '../lib/clock.ts'
import { getCauses } from '../lib/log.ts'
import type { Provider } from '../ports/provider.ts'
import type { Account, Tokens } from '../ports/records.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { exchange, isValid } from './held-tokens.ts'
import type { HeldTokens, IsWanted } from './token-keeper.ts'

/** Seconds by which the clocks of two processes may differ: each counts the lease by its own. */
const MAX_CLOCK_SKEW = 60
/** Milliseconds between two looks at a refresh of another request, or until tokens are stored again. */
const PAUSE = 100
/** Milliseconds between two attempts to store tokens, at most: each pause is twice as long as the previous one. */
const MAX_PAUSE = 6400

/** Finds the tokens in the storage. */
export async function findInStorage(
  ctx: Context,
  storage: GuardedStorage,
  provider: Provider,
  isWanted: IsWanted,
): Promise<HeldTokens | undefined> {
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
  const { refreshes, timeouts } = ctx.service
  const { providerAccountId } = account
  // The tokens themselves are the lock: the first request that counts them uses them.
  const state = JSON.stringify([provider.id, providerAccountId, toState(account)])
  const lock = `refresh ${await platform.hash(state)}`
  const lease = Math.ceil(timeouts.callback) * 2 + MAX_CLOCK_SKEW
  const { count } = await storage.increment(lock, lease, ctx.now)
  if (count > 1) return waitForRefresh(expired, lock)
  const hold = (tokens: Tokens | null): void =>
    refreshes.set(lock, tokens, ctx.now + lease, ctx.now)
  const tokens = await exchange(ctx, provider, refreshToken).catch((thrown: unknown) => {
    hold(null)
    throw thrown
  })
  // The previous refresh token may be invalid now: if the storage fails, this process has the only copy.
  hold(tokens)
  const isCurrent = await storeHeld(expired, lock, () =>
    storage.updateAccount(provider.id, providerAccountId, tokens, refreshToken),
  )
  // If not, the user has signed in again meanwhile: those tokens are newer.
  return isCurrent ? tokens : find()
}

/** Stores held tokens. If the storage fails, the caller does not wait until it works again. */
async function storeHeld(
  expired: Expired,
  lock: string,
  update: () => Promise<boolean>,
): Promise<boolean> {
  const { ctx } = expired
  const store = async (): Promise<boolean> => {
    const isStored = await update()
    ctx.service.refreshes.delete(lock)
    return isStored
  }
  try {
    return await store()
  } catch (thrown) {
    keepAlive(ctx, keepStoring(expired, lock, store, thrown))
    return true
  }
}

/** Stores refreshed tokens once the storage works again, until another process may refresh them. */
async function keepStoring(
  { ctx: { service }, provider }: Expired,
  lock: string,
  store: () => Promise<boolean>,
  thrown: unknown,
): Promise<void> {
  const { runtime, refreshes, log } = service
  const details = { error: 'Unavailable', provider: provider.id } as const
  log.error('refreshed tokens are not stored yet', { ...details, causes: getCauses(thrown) })
  for (let pause = PAUSE; ; pause = Math.min(2 * pause, MAX_PAUSE)) {
    await sleep(runtime, pause)
    // They are held until the lease ends. Of too many tokens the oldest are forgotten.
    if (!refreshes.get(lock, Math.floor(runtime.now() / 1000))) break
    const isDone = await store().then(
      () => true,
      () => false,
    )
    if (isDone) return
  }
  refreshes.delete(lock)
  log.error('refreshed tokens were lost: the user must sign in again', details)
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
  const { timeouts, runtime, refreshes } = ctx.service
  for (let waited = 0; waited < timeouts.callback * 1000; waited += PAUSE) {
    const outcome = refreshes.get(lock, ctx.now)
    if (outcome && isValid(outcome, ctx.now)) return outcome
    if (outcome !== undefined) break
    await sleep(runtime, PAUSE)
    const account = await find()
    if (!account) return undefined
    if (toState(account) !== toState(previous)) return account
  }
  throw new AuthError('OAuthSignin', 'a concurrent token refresh failed')
}
