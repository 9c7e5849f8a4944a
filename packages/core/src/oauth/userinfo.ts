import * as oauth from 'oauth4webapi'
import type { Effects } from '../ports.ts'
import type { Claims } from './facts.ts'
import { verifySignature } from './id-token.ts'
import type { Exchange } from './id-token.ts'
import type { KeySet } from './jwks.ts'
import { through } from './parties.ts'

/**
 * The claims of the UserInfo endpoint (OpenID Connect Core 1.0 §5.3), which must be of the same
 * subject (I-25); signed ones are verified. None where the provider has no such endpoint.
 */
export async function fetchUserinfo(
  { as, client, tokens, effects }: Exchange,
  subject: string,
  keys: KeySet,
): Promise<Claims> {
  if (as.userinfo_endpoint === undefined) return {}
  const response = await oauth.userInfoRequest(as, client, tokens.access_token, through(effects))
  const claims = await oauth.processUserInfoResponse(as, client, subject, response)
  const isSigned = response.headers.get('content-type')?.startsWith('application/jwt')
  if (isSigned) await verifySignature(as, response, keys, effects)
  return claims
}

/** JSON of a provider's own API, asked with the person's access token (RFC 6750). */
export async function getJson(
  url: string,
  accessToken: string,
  effects: Effects,
): Promise<unknown> {
  const response = await oauth.protectedResourceRequest(
    accessToken,
    'GET',
    new URL(url),
    new Headers({ accept: 'application/json' }),
    null,
    through(effects),
  )
  if (response.status !== 200) throw new Error(`${new URL(url).host} answered ${response.status}`)
  return response.json()
}
