import { platform } from '#crypto'
import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { sleep } from '../lib/clock.ts'
import type { Provider } from '../ports/provider.ts'
import type { Account, Tokens } from '../ports/records.ts'
import { getTokenCookies } from '../session/held-session.ts'
import type { SessionTokenKeeper } from '../session/session-tokens.ts'
import { requireStorage, tokenCapabilities } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { toHeaders } from './response-headers.ts'

/** An access token for the API of a provider. */
export interface AccessToken {
  readonly accessToken: string
  /** Seconds since 1970; undefined if the provider did not say. */
  readonly expiresAt: number | undefined
  /**
   * Headers for the response; often none. If the session keeps the tokens (I-46) and they were refreshed,
   * they set its cookie, with `Cache-Control: private, no-store`.
   */
  readonly headers: Headers
}

/** Seconds before its expiry at which a token is refreshed. */
const MARGIN = 60
/** Seconds by which the clocks of two processes may differ: each counts the lease by its own. */
const MAX_CLOCK_SKEW = 60
/** Milliseconds between two looks at a refresh of another request. */
const PAUSE = 100

/**
 * Returns the access token of the session's user at a provider, refreshed if it has expired. Of
 * several concurrent requests one uses the refresh token, and the others wait for its result: in any
 * number of processes if a storage keeps the tokens, in this process if the session does.
 *
 * @throws AuthError `OAuthSignin` if the provider refuses to refresh: the user must sign in again
 */
export async function getAccessToken(
  ctx: Context,
  provider: Provider,
  providerAccountId: string | undefined,
): Promise<AccessToken | undefined> {
  const isWanted: IsWanted = (account) =>
    account.provider === provider.id &&
    (providerAccountId === undefined || account.providerAccountId === providerAccountId)
  const { accessTokens } = ctx.service.sessions
  const held = accessTokens
    ? await findInSession(ctx, provider, isWanted, accessTokens)
    : await findInStorage(ctx, provider, isWanted)
  if (held?.tokens.access_token === undefined) return undefined
  const { access_token: accessToken, expires_at: expiresAt } =
    (await getValid(ctx, provider, held)) ?? {}
  if (accessToken === undefined) return undefined
  return { accessToken, expiresAt, headers: toHeaders(ctx, await held.getCookies()) }
}

type IsWanted = (account: Pick<Account, 'provider' | 'providerAccountId'>) => boolean

/** The tokens of an account, and where they are kept. */
interface HeldTokens {
  readonly tokens: LooseTokens
  readonly refresh: (refreshToken: string) => Promise<LooseTokens | undefined>
  readonly getCookies: () => Promise<readonly CookieChange[]>
}

type LooseTokens = { readonly [Name in keyof Tokens]?: Tokens[Name] | undefined }

async function getValid(
  { now }: Context,
  provider: Provider,
  { tokens, refresh }: HeldTokens,
): Promise<LooseTokens | undefined> {
  if (isValid(tokens, now + MARGIN)) return tokens
  try {
    const { refresh_token } = tokens
    if (refresh_token !== undefined && provider.refresh) return await refresh(refresh_token)
    throw new AuthError('OAuthSignin', `${provider.id} issued no refresh token`)
  } catch (thrown) {
    // A token in its last minute is still valid.
    if (isValid(tokens, now)) return tokens
    throw thrown
  }
}

function isValid({ expires_at = Infinity }: LooseTokens, now: number): boolean {
  return expires_at > now
}

/** Finds the tokens in the session's cookie. */
async function findInSession(
  ctx: Context,
  provider: Provider,
  isWanted: IsWanted,
  keeper: SessionTokenKeeper,
): Promise<HeldTokens | undefined> {
  const { session } = await ctx.readSession()
  if (!session?.tokens || !isWanted(session.tokens)) return undefined
  const tokens = await keeper.getNewest(session.tokens)
  const { expires } = session
  return {
    tokens,
    refresh: (refreshToken) =>
      keeper.refresh(tokens, {
        exchange: () => exchange(ctx, provider, refreshToken),
        now: ctx.now,
        expires,
        timeout: ctx.service.timeouts.callback,
        clock: ctx.service.runtime,
      }),
    getCookies: () => getTokenCookies(ctx, session),
  }
}

/** Finds the tokens in the storage. */
async function findInStorage(
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
    ctx.service.failedRefreshes.take(lock, ctx.now + lease, ctx.now)
    throw thrown
  })
  const update = (): Promise<boolean> =>
    storage.updateAccount(provider.id, account.providerAccountId, tokens, refreshToken)
  // The former refresh token may be void now: one failure must not lose the new one.
  if (await update().catch(update)) return tokens
  // The user has signed in again meanwhile: those tokens are newer.
  return find()
}

async function exchange(ctx: Context, provider: Provider, refreshToken: string): Promise<Tokens> {
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
): Promise<Tokens | undefined> {
  const { timeouts, runtime, failedRefreshes } = ctx.service
  for (let waited = 0; waited < timeouts.callback * 1000; waited += PAUSE) {
    if (failedRefreshes.has(lock, ctx.now)) break
    await sleep(runtime, PAUSE)
    const account = await find()
    if (!account) return undefined
    if (toState(account) !== toState(former)) return account
  }
  throw new AuthError('OAuthSignin', 'a concurrent token refresh failed')
}
