import { platform } from '#crypto'
import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import type { Provider } from '../ports/provider.ts'
import type { Account, Tokens } from '../ports/records.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** An access token for the API of a provider. */
export interface AccessToken {
  readonly accessToken: string
  /** Seconds since 1970; undefined if the provider did not say. */
  readonly expiresAt: number | undefined
}

/** Seconds before its expiry at which a token is refreshed. */
const MARGIN = 60
/** Seconds by which the clocks of two processes may differ: each counts the lease by its own. */
const MAX_CLOCK_SKEW = 60
/** Milliseconds between two looks at a refresh of another request. */
const PAUSE = 100

/**
 * Returns the access token of the session's user at a provider, refreshed if it has expired. Of
 * several concurrent requests, in any number of processes, one uses the refresh token; the others wait
 * for its result.
 *
 * @throws AuthError `OAuthSignin` if the provider refuses to refresh: the user must sign in again
 */
export async function getAccessToken(
  ctx: Context,
  provider: Provider,
  providerAccountId: string | undefined,
): Promise<AccessToken | undefined> {
  const { storage } = ctx.service
  const needs = ['accountLists', 'accountUpdates', 'increment'] as const
  const kept = requireStorage(storage, 'auth.getAccessToken', needs)
  const { session } = await ctx.readSession()
  if (!session) return undefined
  const userId = session.user?.id ?? session.token.sub
  const find = createFind(kept, userId, provider, providerAccountId)
  const account = await find()
  if (!account || account.access_token === undefined) return undefined
  if (isValid(account, ctx.now + MARGIN)) return toAccessToken(account)
  try {
    return await refreshOnce({ ctx, storage: kept, provider, account, find })
  } catch (thrown) {
    // A token in its last minute is still valid.
    if (isValid(account, ctx.now)) return toAccessToken(account)
    throw thrown
  }
}

type Find = () => Promise<Account | undefined>

function createFind(
  storage: GuardedStorage,
  userId: string,
  { id }: Provider,
  wanted: string | undefined,
): Find {
  const matches = ({ provider, providerAccountId }: Account): boolean =>
    provider === id && (wanted === undefined || providerAccountId === wanted)
  return async () => (await storage.listAccounts(userId)).find(matches)
}

function isValid({ expires_at = Infinity }: Account, now: number): boolean {
  return expires_at > now
}

function toAccessToken({ access_token, expires_at }: Tokens): AccessToken | undefined {
  return access_token === undefined
    ? undefined
    : { accessToken: access_token, expiresAt: expires_at }
}

/** An account whose access token has expired. */
interface Expired {
  readonly ctx: Context
  readonly storage: GuardedStorage
  readonly provider: Provider
  readonly account: Account
  readonly find: Find
}

async function refreshOnce(expired: Expired): Promise<AccessToken | undefined> {
  const { ctx, storage, provider, account, find } = expired
  const { refresh_token } = account
  if (refresh_token === undefined || !provider.refresh) {
    throw new AuthError('OAuthSignin', `${provider.id} issued no refresh token`)
  }
  // The tokens themselves are the lock: the first request that counts them uses them.
  const lock = `refresh ${await platform.hash(toState(account))}`
  const lease = Math.ceil(ctx.service.timeouts.callback) * 2 + MAX_CLOCK_SKEW
  const { count } = await storage.increment(lock, lease, ctx.now)
  if (count > 1) return waitForRefresh(expired, lock)
  const tokens = await refresh(ctx, provider, refresh_token).catch((thrown: unknown) => {
    ctx.service.failedRefreshes.take(lock, ctx.now + lease, ctx.now)
    throw thrown
  })
  const update = (): Promise<boolean> =>
    storage.updateAccount(provider.id, account.providerAccountId, tokens, refresh_token)
  // The former refresh token may be void now: one failure must not lose the new one.
  if (await update().catch(update)) return toAccessToken(tokens)
  // The user has signed in again meanwhile: those tokens are newer.
  const newer = await find()
  return newer && toAccessToken(newer)
}

async function refresh(ctx: Context, provider: Provider, refreshToken: string): Promise<Tokens> {
  try {
    const work = provider.refresh?.(refreshToken, ctx.runtime) ?? Promise.resolve({})
    return await ctx.runtime.within(work)
  } catch (cause) {
    throw new AuthError('OAuthSignin', `${provider.id} could not refresh the access token`, {
      cause,
    })
  }
}

/** Returns what a refresh changes. */
function toState({ refresh_token = '', access_token = '', expires_at = 0 }: Account): string {
  return [refresh_token, access_token, expires_at].join(' ')
}

/** Waits until another request has refreshed the tokens, at most as long as a refresh may take. */
async function waitForRefresh(
  { ctx, find, account: former }: Expired,
  lock: string,
): Promise<AccessToken | undefined> {
  const { timeouts, failedRefreshes } = ctx.service
  for (let waited = 0; waited < timeouts.callback * 1000; waited += PAUSE) {
    if (failedRefreshes.has(lock, ctx.now)) break
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
    const account = await find()
    if (!account) return undefined
    if (toState(account) !== toState(former)) return toAccessToken(account)
  }
  throw new AuthError('OAuthSignin', 'a concurrent token refresh failed')
}
