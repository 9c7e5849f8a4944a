import type { Context } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import type { Provider } from '../ports/provider.ts'
import type { Tokens } from '../ports/records.ts'
import type { LooseTokens } from './token-keeper.ts'

/**
 * Exchanges a refresh token at its provider.
 *
 * @throws AuthError `OAuthSignin`
 */
export async function exchange(
  ctx: Context,
  provider: Provider,
  refreshToken: string,
): Promise<Tokens> {
  try {
    const work = provider.refresh?.(refreshToken, ctx.runtime) ?? Promise.resolve({})
    return await ctx.runtime.within(work)
  } catch (cause) {
    throw new AuthError('OAuthSignin', `${provider.id} could not refresh the access token`, {
      cause,
    })
  }
}

/** Returns whether an access token has not expired at a time, in seconds since 1970. */
export function isValid({ expires_at = Infinity }: LooseTokens, now: number): boolean {
  return expires_at > now
}
