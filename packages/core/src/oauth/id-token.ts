import * as oauth from 'oauth4webapi'
import { toBase64url, fromBase64url, fromUtf8, toUtf8 } from '../crypto/encoding.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { Claims, OidcConfig } from './provider-config.ts'
import type { JsonWebKeySet, KeySet } from './jwks.ts'
import { TOLERANCE } from './client-context.ts'

/** Seconds after which an ID Token is too old to sign in with. */
const MAX_AGE = 3600

/** An answer of the token endpoint that oauth4webapi has read, and what it was. */
export interface Exchange {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly params: URLSearchParams
  readonly response: Response
  readonly tokens: oauth.TokenEndpointResponse
  readonly runtime: ProviderRuntime
}

/**
 * The claims of an ID Token whose signature and claims have been verified (I-24, OpenID Connect Core
 * 1.0 §3.1.3.7): oauth4webapi has looked at `iss`, `aud`, `exp`, `nbf`, `nonce` and the types.
 */
export async function verifyIdToken(exchange: Exchange, keys: KeySet): Promise<oauth.IDToken> {
  const { as, client, response, tokens, runtime } = exchange
  await verifySignature(as, response, tokens.id_token ?? '', keys, runtime)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (!claims) throw new Error('there is no ID Token')
  const now = runtime.now() / 1000
  if (claims.iat > now + TOLERANCE) throw new Error('the ID Token is from the future (iat)')
  if (claims.iat < now - MAX_AGE) throw new Error('the ID Token is too old (iat)')
  if (claims.azp !== undefined && claims.azp !== client.client_id) {
    throw new Error('the ID Token is for another party (azp)')
  }
  await verifyAccessTokenHash(claims, tokens)
  return claims
}

/**
 * Verifies the JWT in an answer with the issuer's own keys, and none but those (I-24).
 *
 * @param jws The JWT: without a `kid` it may be one of keys that have changed
 */
export function verifySignature(
  as: oauth.AuthorizationServer,
  response: Response,
  jws: string,
  keys: KeySet,
  runtime: ProviderRuntime,
): Promise<void> {
  const { kid } = jsonOf(jws, 0) as { kid?: unknown }
  return keys.verify(
    as.jwks_uri ?? '',
    runtime,
    (jwks) => verifyWith(as, response, jwks),
    (thrown) => kid === undefined || (thrown as { code?: unknown }).code === oauth.KEY_SELECTION,
  )
}

function verifyWith(
  as: oauth.AuthorizationServer,
  response: Response,
  jwks: JsonWebKeySet,
): Promise<void> {
  // The copies have no past in oauth4webapi's memory, so it takes exactly these keys, and no promise
  // of another request, which Workers would not let it wait for.
  const cache = { jwks: structuredClone(jwks) as oauth.JWKS, uat: Math.floor(Date.now() / 1000) }
  return oauth.validateApplicationLevelSignature({ ...as }, response, { [oauth.jwksCache]: cache })
}

/** `at_hash` (OpenID Connect Core 1.0 §3.1.3.6): optional in the code flow, right where it is there. */
async function verifyAccessTokenHash(
  claims: oauth.IDToken,
  tokens: oauth.TokenEndpointResponse,
): Promise<void> {
  if (claims['at_hash'] === undefined) return
  const { alg } = jsonOf(tokens.id_token, 0) as { alg: string }
  const digest = await crypto.subtle.digest(hashOf(alg), toUtf8(tokens.access_token))
  const half = new Uint8Array(digest).subarray(0, digest.byteLength / 2)
  if (claims['at_hash'] !== toBase64url(half)) {
    throw new Error('at_hash is not that of the access token')
  }
}

function hashOf(alg: string): string {
  return `SHA-${/(256|384|512)$/.exec(alg)?.[1] ?? '512'}` // Ed25519 signs with SHA-512.
}

/**
 * The server as the issuer of this very answer. Some providers sign for many issuers, and the one
 * that a token must name follows from another of its claims: it is read here unverified, and proven
 * by the signature like all the rest.
 */
export async function issuerOf(
  { expectedIssuer }: OidcConfig,
  as: oauth.AuthorizationServer,
  response: Response,
): Promise<oauth.AuthorizationServer> {
  if (!expectedIssuer || response.status !== 200) return as
  const { id_token } = (await response.clone().json()) as { id_token?: unknown }
  return { ...as, issuer: expectedIssuer(jsonOf(id_token, 1) as Claims) }
}

/** A part of a compact JWS (RFC 7515 §7.1): 0 is the header, 1 the payload. */
function jsonOf(jws: unknown, part: 0 | 1): unknown {
  return JSON.parse(fromUtf8(fromBase64url(String(jws).split('.')[part] ?? '')))
}
