import * as oauth from 'oauth4webapi'
import type { ProviderRuntime } from '../ports/runtime.ts'
import { StatusError } from './provider-config.ts'
import type { Claims } from './provider-config.ts'
import { verifySignature } from './id-token.ts'
import type { Exchange } from './id-token.ts'
import type { KeySet } from './jwks.ts'
import { fetchOptions } from './client-context.ts'

/**
 * The claims of the UserInfo endpoint (OpenID Connect Core 1.0 §5.3), which must be of the same
 * subject (I-25); signed ones are verified. None where the provider has no such endpoint.
 */
export async function fetchUserinfo(
  { as, client, tokens, runtime }: Exchange,
  subject: string,
  keys: KeySet,
): Promise<Claims> {
  if (as.userinfo_endpoint === undefined) return {}
  const response = await oauth.userInfoRequest(
    as,
    client,
    tokens.access_token,
    fetchOptions(runtime),
  )
  const isSigned = response.headers.get('content-type')?.startsWith('application/jwt')
  const jws = isSigned ? await response.clone().text() : ''
  const claims = await oauth.processUserInfoResponse(as, client, subject, response)
  if (isSigned) await verifySignature(as, response, jws, keys, runtime)
  return claims
}

/**
 * What both said of the person. The ID Token counts before the UserInfo endpoint, and that an
 * address is verified counts for the address it was said of, and for no other.
 */
export function mergeClaims(userinfo: Claims, idToken: Claims): Claims {
  const merged = { ...userinfo, ...idToken }
  const [email, verified] = ['email', 'email_verified'] as const
  if (idToken[email] === userinfo[email]) return merged
  const source = idToken[email] === undefined ? userinfo : idToken
  return { ...merged, [verified]: source[verified] }
}

/** JSON of a provider's own API, asked with the person's access token (RFC 6750). */
export async function getJson(
  url: string,
  accessToken: string,
  runtime: ProviderRuntime,
): Promise<unknown> {
  const response = await oauth.protectedResourceRequest(
    accessToken,
    'GET',
    new URL(url),
    new Headers({ accept: 'application/json' }),
    null,
    fetchOptions(runtime),
  )
  if (response.status !== 200) throw new StatusError(url, response.status)
  return response.json()
}
