import type { Context } from '../kernel/context.ts'
import type { Sealer } from '../crypto/seal.ts'
import { isSecureUrl } from '../http/base-url.ts'
import { KNOWN_LIFETIME } from '../http/cookies.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import { getSize, setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { getCauses } from '../lib/log.ts'
import type { OpenIdClient, Provider, RpInitiatedLogout } from '../ports/provider.ts'
import { clearLogoutHint } from './logout-code.ts'
import type { BegunLogout, LogoutCode, LogoutHint } from './logout-code.ts'
import { toUrl } from '../sign-in/urls.ts'
import { readText } from '../lib/members.ts'

/** Characters of an ID Token: what fits, sealed, into one cookie. A longer one is left out of the request. */
const MAX_LENGTH = 2600
/** Seconds that a logout at the provider may take. */
const STATE_LIFETIME = 15 * 60

/**
 * The option `logout` of an OpenID provider: a sign-out continues at the provider and ends its session too (OpenID
 * Connect RP-Initiated Logout 1.0).
 *
 * @example
 *   import { rpInitiatedLogout } from '@latchkey/core/rp-initiated-logout'
 *   import { keycloak } from '@latchkey/core/providers/keycloak'
 *
 *   const provider = keycloak({
 *     issuer: 'https://id.example.com/realms/main',
 *     clientId: 'web',
 *     clientSecret: 'kept secret',
 *     logout: rpInitiatedLogout(),
 *   })
 */
export function rpInitiatedLogout(): RpInitiatedLogout {
  return code
}

const code: LogoutCode = { keepHint, rebindHint, begin, getNextUrl }

async function keepHint(
  ctx: Context,
  { id, openid }: Provider,
  { sessionId, idToken, room }: LogoutHint,
): Promise<readonly CookieChange[]> {
  const seal = async (token?: string): Promise<CookieChange> => {
    const hint = { sessionId, provider: id, idToken: token }
    const sealed = await ctx.service.keys.logout.seal(hint, ctx.now + KNOWN_LIFETIME)
    return setCookie(ctx.baseUrl.cookies.logout, sealed)
  }
  const isLong = idToken !== undefined && idToken.length > MAX_LENGTH
  const whole = isLong || openid?.usesLogoutUri ? undefined : await seal(idToken)
  return [whole && getSize([whole]) <= room ? whole : await seal()]
}

async function rebindHint(
  ctx: Context,
  previousId: string,
  { sessionId, room }: Pick<LogoutHint, 'sessionId' | 'room'>,
): Promise<readonly CookieChange[]> {
  const hint = await openHint(ctx)
  const provider = ctx.service.providers.get(String(hint?.['provider']))
  if (!provider || hint?.['sessionId'] !== previousId) return []
  if (!provider.openid?.logout) return clearLogoutHint(ctx)
  return keepHint(ctx, provider, { sessionId, idToken: readText(hint, 'idToken'), room })
}

async function begin(
  ctx: Context,
  sessionId: string,
  callbackUrl: string,
): Promise<BegunLogout | undefined> {
  const { service, baseUrl, now } = ctx
  const hint = await openHint(ctx)
  if (hint?.['sessionId'] !== sessionId) return undefined
  const { provider, idToken } = hint
  const { usesLogoutUri } = service.providers.get(String(provider))?.openid ?? {}
  const kept = usesLogoutUri ? { callbackUrl } : { idToken }
  const sealed = await service.keys.logout.seal(
    { sessionId, provider, ...kept },
    now + STATE_LIFETIME,
  )
  return {
    url: await toReturnUrl(ctx, { provider, sessionId, callbackUrl }),
    cookies: [setCookie(baseUrl.cookies.logout, sealed, STATE_LIFETIME)],
  }
}

async function getNextUrl(ctx: Context, state: string | undefined): Promise<string | undefined> {
  const { service, now } = ctx
  const content =
    state === undefined ? await openHint(ctx) : await service.keys.logout.open(state, now)
  if (typeof content?.['callbackUrl'] !== 'string') return undefined
  const callbackUrl = await resolveReturnUrl(ctx, content['callbackUrl'])
  const id = String(content['provider'])
  const openid = service.providers.get(id)?.openid
  if (!openid?.logout || state === undefined) return callbackUrl
  try {
    const hint = await openHint(ctx)
    // Another browser has no hint for this session: the provider then asks its user.
    const isSame = hint?.['sessionId'] === content['sessionId']
    const idToken = isSame ? readText(hint, 'idToken') : undefined
    return await getEndSessionUrl(ctx, openid, { idToken, callbackUrl })
  } catch (thrown) {
    const causes = getCauses(thrown)
    service.log.warn('no logout at the provider', { error: 'Default', provider: id, causes })
    return callbackUrl
  }
}

function openHint({ service, cookies, baseUrl, now }: Context): ReturnType<Sealer['open']> {
  return service.keys.logout.open(cookies.get(baseUrl.cookies.logout.name), now)
}

/** Returns the URL of the provider (OpenID Connect RP-Initiated Logout 1.0 §2). */
async function getEndSessionUrl(
  ctx: Context,
  { clientId, getServer, usesLogoutUri }: OpenIdClient,
  { idToken, callbackUrl }: { readonly idToken: string | undefined; readonly callbackUrl: string },
): Promise<string> {
  const { runtime } = ctx
  const { end_session_endpoint: endpoint } = await runtime.within(getServer(runtime))
  const url = endpoint === undefined ? undefined : URL.parse(endpoint)
  if (!url || !isSecureUrl(url)) {
    throw new Error('expected an https URL as end_session_endpoint in the discovery document')
  }
  if (usesLogoutUri) {
    return toUrl(ctx, url.href, { client_id: clientId, logout_uri: `${ctx.baseUrl.href}/signout` })
  }
  const back = new URL(await toReturnUrl(ctx, { callbackUrl }))
  return toUrl(ctx, url.href, {
    id_token_hint: idToken || undefined,
    client_id: clientId,
    post_logout_redirect_uri: back.origin + back.pathname,
    state: back.searchParams.get('state') ?? undefined,
  })
}

async function toReturnUrl(ctx: Context, content: object): Promise<string> {
  const state = await ctx.service.keys.logout.seal(content, ctx.now + STATE_LIFETIME)
  return toUrl(ctx, `${ctx.baseUrl.href}/signout`, { state })
}
