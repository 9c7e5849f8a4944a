import type { Context } from '../kernel/context.ts'
import { KNOWN_LIFETIME, withCookieId } from '../http/cookies.ts'
import type { CookieSpec } from '../http/cookies.ts'
import { setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Provider } from '../ports/provider.ts'

type ProviderId = Pick<Provider, 'id'>

/** Returns what a provider remembers in the browser of a request. */
export async function recall(ctx: Context, provider: ProviderId): Promise<unknown> {
  const cookie = ctx.cookies.get(toSpec(ctx, provider).name)
  const content = await ctx.service.keys.known.open(cookie, ctx.now)
  return content?.['provider'] === provider.id ? content['known'] : undefined
}

/** Returns the cookie with which a provider remembers a browser; none if there is nothing to remember. */
export async function remember(
  ctx: Context,
  provider: ProviderId,
  known: unknown,
): Promise<readonly CookieChange[]> {
  if (known === undefined) return []
  const content = { provider: provider.id, known }
  const sealed = await ctx.service.keys.known.seal(content, ctx.now + KNOWN_LIFETIME)
  return [setCookie(toSpec(ctx, provider), sealed)]
}

/** Returns the cookie with the provider of the last sign-in, which the sign-in page marks; none if there is nothing to mark. */
export function rememberLast(
  { service: { pages, providers }, baseUrl, cookies }: Context,
  { id }: ProviderId,
): readonly CookieChange[] {
  const { last } = baseUrl.cookies
  const isMarked = providers.size > 1 && pages.signIn === undefined
  return isMarked && cookies.get(last.name) !== id ? [setCookie(last, id)] : []
}

function toSpec({ baseUrl }: Context, { id }: ProviderId): CookieSpec {
  return withCookieId(baseUrl.cookies.known, id)
}
