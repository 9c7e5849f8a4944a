import { getCarried } from './context.ts'
import type { Context, Input, ProviderInput } from './context.ts'
import { equalInConstantTime } from '../crypto/encoding.ts'
import { AuthError } from '../lib/errors.ts'
import { provesUser } from '../lib/proves-user.ts'
import { Refusal } from '../http/refusal.ts'
import { isFromTrustedOrigin } from '../http/trusted-origins.ts'
import { limitClient } from '../limits/apply-limit.ts'

/** The first check of I-17: a POST comes from a page of the service or a trusted origin, as its browser says. */
export async function knownOrigin({ request, baseUrl, service }: Context): Promise<void> {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  // A page of the service with `Referrer-Policy: no-referrer` posts `null`, as do opaque origins, which are cross-site.
  const isHidden = origin === 'null' && site === 'same-origin'
  const isOwn = origin === null || origin === baseUrl.origin || isHidden
  const isSameSite = site === null || site === 'same-origin' || site === 'none'
  if ((isOwn && isSameSite) || isFromTrustedOrigin(service, request)) return
  const reason =
    isOwn || service.trustedOrigins.has(origin)
      ? `posted ${site} from ${origin ?? 'an unknown origin'}`
      : `expected the origin ${baseUrl.origin} or one of trustedOrigins, found ${origin}`
  // Another site's form gets no fresh token: its cookie would replace the cookie of the user's own tabs.
  throw new Refusal(new AuthError('Csrf', reason), { showsErrorPage: true })
}

/**
 * Checks that a form comes from a page of the service. Pages of `trustedOrigins` may post every form; they must not change an
 * account or a factor, nor confirm as the user.
 *
 * @param what Names what is refused, for the log
 *
 * @throws AuthError `Csrf` (403)
 */
export function checkOwnOrigin({ request, baseUrl }: Context, what: string): void {
  const origin = request.headers.get('origin') ?? baseUrl.origin
  if (origin === baseUrl.origin) return
  throw new AuthError('Csrf', `${what} needs the origin ${baseUrl.origin}, found ${origin}`)
}

/** The second and third check of I-17: the cookie is valid, and the field equals its token. */
export async function csrfToken(ctx: Context, { body }: Input): Promise<void> {
  const token = await ctx.readCsrfToken()
  if (token === undefined) throw new AuthError('Csrf', 'the cookie is missing or invalid')
  const given = body.fields.get('csrfToken')
  if (given === undefined) throw new AuthError('Csrf', 'the field csrfToken is missing')
  if (equalInConstantTime(given, token)) return
  throw new AuthError('Csrf', 'the field csrfToken differs from the cookie')
}

/**
 * A callback is a navigation, or a request of the service's own origin: what another page embeds or
 * fetches must not use up a flow. Credentials use none up: trusted origins may post them too (I-42). A
 * browser without Fetch Metadata sends none of these headers.
 */
export async function topLevelNavigation(
  { request, service }: Context,
  { provider }: ProviderInput,
): Promise<void> {
  const { headers } = request
  const destination = headers.get('sec-fetch-dest') ?? 'document'
  if (destination === 'document') return
  const site = headers.get('sec-fetch-site')
  // A service worker that forwards a navigation makes it `empty`. No script can set this mode.
  const isForwarded = headers.get('sec-fetch-mode') === 'navigate'
  const isTrusted = provesUser(provider) && isFromTrustedOrigin(service, request)
  if (destination === 'empty' && (site === 'same-origin' || isForwarded || isTrusted)) return
  const message = `the callback must be a top-level navigation, found ${destination} from ${site ?? 'an unknown site'}`
  throw new AuthError('OAuthCallback', message)
}

/**
 * A gate that counts what may cause requests to other servers, by `limits.startsPerClient`. Without an IP address of the client
 * nothing is counted.
 *
 * @throws AuthError `RateLimited`, or `Unavailable` if the limiter fails
 */
export function startLimit(ctx: Context, input?: Partial<ProviderInput>): Promise<void> {
  const answers = input?.provider && getCarried(input.provider)?.answers
  return limitClient(ctx, answers?.startLimit ?? 'startsPerClient')
}
