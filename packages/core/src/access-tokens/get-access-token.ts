import type { Context } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import type { Provider } from '../ports/provider.ts'
import { toHeaders } from '../kernel/response-headers.ts'
import type { HeldTokens, IsWanted, LooseTokens } from './token-keeper.ts'
import { requireStorage, tokenCapabilities } from '../storage/guard-storage.ts'
import { isValid } from './held-tokens.ts'
import { findInSession } from './session-access-tokens.ts'

/** An access token for the API of a provider. */
export interface AccessToken {
  readonly accessToken: string
  /** Seconds since 1970; undefined if the provider did not say. */
  readonly expiresAt: number | undefined
  /**
   * Headers for the response; often none. If the session keeps the tokens and they were refreshed,
   * they set its cookie, with `Cache-Control: private, no-store`.
   */
  readonly headers: Headers
}

/** Seconds before its expiry at which a token is refreshed. */
const MARGIN = 60
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

function findInStorage(
  ctx: Context,
  provider: Provider,
  isWanted: IsWanted,
): Promise<HeldTokens | undefined> {
  const storage = requireStorage(ctx.service.storage, 'auth.getAccessToken', tokenCapabilities)
  return storage.code.findTokens(ctx, storage, provider, isWanted)
}

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
