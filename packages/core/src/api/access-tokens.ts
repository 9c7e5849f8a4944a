import type { Context } from '../context.ts'
import { toBase64url, sha256 } from '../crypto/encoding.ts'
import { AuthError } from '../errors.ts'
import type { Provider } from '../ports/provider.ts'
import type { Account, Tokens } from '../ports/records.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** An access token that is worth sending. */
export interface AccessToken {
  readonly accessToken: string
  /** Seconds since 1970; undefined where the provider has not said. */
  readonly expiresAt: number | undefined
}

/** Seconds before its end from which a token is not worth sending any more. */
const MARGIN = 60
/** Milliseconds between two looks at what somebody else is refreshing. */
const PAUSE = 100

/**
 * The access token of the signed-in user's account at a provider, refreshed where it has expired.
 * Of several requests at once, in however many processes, one uses the refresh token; the others
 * wait for what comes of it.
 *
 * @throws AuthError `OAuthSignin` where the provider refuses to refresh: the person must sign in again
 */
export async function accessTokenOf(
  ctx: Context,
  provider: Provider,
  providerAccountId: string | undefined,
): Promise<AccessToken | undefined> {
  const { storage } = ctx.service
  const needs = ['accountLists', 'accountUpdates', 'increment'] as const
  const kept = requireStorage(storage, 'auth.getAccessToken', needs)
  const session = await ctx.session()
  if (!session) return undefined
  const userId = session.user?.id ?? session.token.sub
  const find = accountFinder(kept, userId, provider, providerAccountId)
  const account = await find()
  if (!account || account.access_token === undefined) return undefined
  if (isAlive(account, ctx.now + MARGIN)) return tokenOf(account)
  try {
    return await refreshed(ctx, kept, provider, account, find)
  } catch (thrown) {
    // What is in its last minute is still better than nothing.
    if (isAlive(account, ctx.now)) return tokenOf(account)
    throw thrown
  }
}

type Find = () => Promise<Account | undefined>

function accountFinder(
  storage: GuardedStorage,
  userId: string,
  { id }: Provider,
  wanted: string | undefined,
): Find {
  const isIt = ({ provider, providerAccountId }: Account): boolean =>
    provider === id && (wanted === undefined || providerAccountId === wanted)
  return async () => (await storage.listAccounts(userId)).find(isIt)
}

function isAlive({ expires_at = Infinity }: Account, now: number): boolean {
  return expires_at > now
}

function tokenOf({ access_token, expires_at }: Tokens): AccessToken | undefined {
  return access_token === undefined
    ? undefined
    : { accessToken: access_token, expiresAt: expires_at }
}

async function refreshed(
  ctx: Context,
  storage: GuardedStorage,
  provider: Provider,
  account: Account,
  find: Find,
): Promise<AccessToken | undefined> {
  const { refresh_token } = account
  if (refresh_token === undefined || !provider.refresh) {
    throw new AuthError('OAuthSignin', `${provider.id} has given no refresh token`)
  }
  // The tokens themselves are the lock: whoever counts them first uses them.
  const lock = `refresh ${toBase64url(sha256(stateOf(account)))}`
  const lease = Math.ceil(ctx.service.timeouts.callback) * 2
  const { count } = await storage.increment(lock, lease, ctx.now)
  if (count > 1) return awaited(ctx, find, account, lock)
  const tokens = await refresh(ctx, provider, refresh_token).catch((thrown: unknown) => {
    ctx.service.failedRefreshes.take(lock, ctx.now + lease, ctx.now)
    throw thrown
  })
  const update = (): Promise<boolean> =>
    storage.updateAccount(provider.id, account.providerAccountId, tokens, refresh_token)
  // The former refresh token may be void now: what came for it must not be lost to one failure.
  if (await update().catch(update)) return tokenOf(tokens)
  // The person has signed in anew meanwhile: what came with that is newer.
  const newer = await find()
  return newer && tokenOf(newer)
}

async function refresh(ctx: Context, provider: Provider, refreshToken: string): Promise<Tokens> {
  try {
    const work = provider.refresh?.(refreshToken, ctx.runtime) ?? Promise.resolve({})
    return await ctx.runtime.within(work)
  } catch (cause) {
    throw new AuthError('OAuthSignin', `${provider.id} has not refreshed`, { cause })
  }
}

/** What a refresh changes. */
function stateOf({ refresh_token = '', access_token = '', expires_at = 0 }: Account): string {
  return [refresh_token, access_token, expires_at].join(' ')
}

/** Waits until somebody else has refreshed, for as long as they may take. */
async function awaited(
  ctx: Context,
  find: Find,
  former: Account,
  lock: string,
): Promise<AccessToken | undefined> {
  const { timeouts, failedRefreshes } = ctx.service
  for (let waited = 0; waited < timeouts.callback * 1000; waited += PAUSE) {
    if (failedRefreshes.has(lock, ctx.now)) break
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
    const account = await find()
    if (!account) return undefined
    if (stateOf(account) !== stateOf(former)) return tokenOf(account)
  }
  throw new AuthError('OAuthSignin', 'somebody else’s refresh has come to nothing')
}
