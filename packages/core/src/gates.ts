import type { Context, Input } from './context.ts'
import { equalInConstantTime } from './crypto/encoding.ts'
import { AuthError } from './errors.ts'
import { Refusal } from './http/refusal.ts'
import type { Reply } from './http/reply.ts'
import { limitClient } from './limits/apply-limit.ts'

/** One check before the action: it throws to refuse, and may reply instead of the action. */
export type Gate<I extends Input = Input> = (
  ctx: Context,
  input: I,
) => Promise<Reply | undefined | void>

/** The first check of I-17: a POST comes from a page of the service, as its browser says. */
export async function sameOrigin({ request, baseUrl }: Context): Promise<void> {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  const isOwn = origin === null || origin === baseUrl.origin
  const isSameSite = site === null || site === 'same-origin' || site === 'none'
  if (isOwn && isSameSite) return
  const reason = isOwn ? `posted ${site}` : `expected the origin ${baseUrl.origin}, got ${origin}`
  // Another site's form gets no fresh token: its cookie would replace that of the user's own tabs.
  throw new Refusal(new AuthError('Csrf', reason), { showsErrorPage: true })
}

/** The second and third check of I-17: the cookie is genuine, and the field equals its token. */
export async function csrfToken(ctx: Context, { body }: Input): Promise<void> {
  const token = await ctx.readCsrfToken()
  if (token === undefined) throw new AuthError('Csrf', 'the cookie is missing or not genuine')
  const given = body.fields.get('csrfToken')
  if (given === undefined) throw new AuthError('Csrf', 'the field csrfToken is missing')
  if (equalInConstantTime(given, token)) return
  throw new AuthError('Csrf', 'the field csrfToken differs from the cookie')
}

/** A callback is a navigation: what another page embeds must not use up the visitor's limit. */
export async function topLevelNavigation({ request }: Context): Promise<void> {
  const destination = request.headers.get('sec-fetch-dest') ?? 'document'
  if (destination === 'document' || destination === 'empty') return
  const message = `the callback must be a top-level navigation, got ${destination}`
  throw new AuthError('OAuthCallback', message)
}

/** Callbacks are limited per client, typed codes above all. */
export function callbackLimit(ctx: Context): Promise<void> {
  return limitClient(ctx, 'callbacksPerClient')
}
