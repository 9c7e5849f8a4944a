import type { Context } from '../context.ts'
import { base64urlOf, sha256 } from '../encoding.ts'
import { AuthError } from '../errors.ts'
import type { Account, Provider, Tokens } from '../ports.ts'
import { requireStorage } from '../storage.ts'
import type { GuardedStorage } from '../storage.ts'

/** An access token that is worth sending. */
export interface AccessToken {
  readonly accessToken: string
  /** Seconds since 1970; undefined where the provider has not said. */
  readonly expiresAt: number | undefined
}

/** Seconds before its end from which a token is not worth sending any more. */
const MARGIN = 60
/** Seconds that a refresh may take before somebody else may try. */
const LEASE = 30
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
): Promise<AccessToken | undefined> {
  const { storage } = ctx.service
  const needs = ['accountLists', 'accountUpdates', 'increment'] as const
  const kept = requireStorage(storage, 'auth.getAccessToken', needs)
  const session = await ctx.session()
  if (!session) return undefined
  const find = accountFinder(kept, session.user?.id ?? session.token.sub, provider)
  const account = await find()
  if (!account || isFresh(account, ctx.now)) return account && tokenOf(account)
  return refreshed(ctx, kept, provider, account, find)
}

type Find = () => Promise<Account | undefined>

function accountFinder(storage: GuardedStorage, userId: string, provider: Provider): Find {
  return async () => {
    const accounts = await storage.listAccounts(userId)
    return accounts.find((account) => account.provider === provider.id)
  }
}

function isFresh({ access_token, expires_at = Infinity }: Account, now: number): boolean {
  return access_token !== undefined && expires_at - MARGIN > now
}

function tokenOf({ access_token, expires_at }: Account): AccessToken | undefined {
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
  // The refresh token itself is the lock: whoever counts it first uses it.
  const lock = `refresh ${base64urlOf(sha256(refresh_token))}`
  const { count } = await storage.increment(lock, LEASE, ctx.now)
  if (count > 1) return awaited(ctx, find, account)
  const tokens = await refresh(ctx, provider, refresh_token)
  const { providerAccountId } = account
  if (await storage.updateAccount(provider.id, providerAccountId, tokens, refresh_token)) {
    return tokenOf({ ...account, ...tokens })
  }
  // The person has signed in anew meanwhile: what came with that is newer.
  const newer = await find()
  return newer && tokenOf(newer)
}

async function refresh(ctx: Context, provider: Provider, refreshToken: string): Promise<Tokens> {
  try {
    return (await provider.refresh?.(refreshToken, ctx.effects)) ?? {}
  } catch (cause) {
    throw new AuthError('OAuthSignin', `${provider.id} has not refreshed`, { cause })
  }
}

/** Waits until somebody else has refreshed, for as long as they may take. */
async function awaited(
  ctx: Context,
  find: Find,
  { access_token }: Account,
): Promise<AccessToken | undefined> {
  const { callback } = ctx.service.timeouts
  for (let waited = 0; waited < callback * 1000; waited += PAUSE) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
    const account = await find()
    if (!account) return undefined
    if (account.access_token !== access_token) return tokenOf(account)
  }
  throw new AuthError('OAuthSignin', 'somebody else’s refresh has come to nothing')
}
