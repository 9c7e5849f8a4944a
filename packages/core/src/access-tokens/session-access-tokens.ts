import type { Context } from '../kernel/context.ts'
import type { Provider } from '../ports/provider.ts'
import { getTokenCookies } from '../session/held-session.ts'
import { exchange } from './held-tokens.ts'
import type { HeldTokens, IsWanted, SessionTokenKeeper } from './token-keeper.ts'

/** Finds the tokens in the session's cookie. */
export async function findInSession(
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
