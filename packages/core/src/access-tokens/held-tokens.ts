import type { Context } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Provider } from '../ports/provider.ts'
import type { Account, Tokens } from '../ports/records.ts'

/** Returns whether the application asked for the token of an account. */
export type IsWanted = (account: Pick<Account, 'provider' | 'providerAccountId'>) => boolean

/** The tokens of an account, and where they are kept. */
export interface HeldTokens {
  readonly tokens: LooseTokens
  readonly refresh: (refreshToken: string) => Promise<LooseTokens | undefined>
  readonly getCookies: () => Promise<readonly CookieChange[]>
}

/** The tokens of an account, each of which may be missing. */
export type LooseTokens = { readonly [Name in keyof Tokens]?: Tokens[Name] | undefined }

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
