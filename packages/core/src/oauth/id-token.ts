import * as oauth from 'oauth4webapi'
import { platform } from '#crypto'
import { fromBase64url, fromUtf8, toBase64url } from '../crypto/encoding.ts'
import { platformClock } from '../lib/clock.ts'
import type { HashAlgorithm } from '../crypto/platform.ts'
import type { CallbackInput } from '../ports/provider.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { Claims, OidcConfig } from './provider-config.ts'
import type { JsonWebKeySet, KeySet } from './jwks.ts'
import { CLOCK_TOLERANCE } from './client-context.ts'
import { CHECK_CLOCK } from './explain-mismatch.ts'
import { readMember } from '../lib/members.ts'
import { toClaims } from './claims.ts'

/** Seconds after which an ID Token is too old to sign in with. */
const MAX_AGE = 3600

/** A token request that succeeded (RFC 6749 §4.1.3 and §4.1.4). */
export interface TokenExchange {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  /** The parameters of the callback, from the query or the form. */
  readonly params: URLSearchParams
  /** The response object that oauth4webapi has processed. */
  readonly response: Response
  readonly tokens: oauth.TokenEndpointResponse
  readonly runtime: ProviderRuntime
  readonly log: CallbackInput['log']
}

/**
 * Verifies the signature of an ID Token and those claims that oauth4webapi leaves to the caller (I-24,
 * OpenID Connect Core 1.0 §3.1.3.7). oauth4webapi has checked `iss`, `aud`, `exp`, `nbf`, `nonce` and
 * the types.
 *
 * @returns The claims
 * @throws Error if the ID Token is invalid
 */
export async function verifyIdToken(exchange: TokenExchange, keys: KeySet): Promise<oauth.IDToken> {
  const { as, client, response, tokens, runtime } = exchange
  await verifySignature(as, response, tokens.id_token ?? '', keys, runtime)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (!claims) throw new Error('the token response has no ID Token')
  const now = runtime.now() / 1000
  if (claims.iat > now + CLOCK_TOLERANCE) {
    throw new Error(`the ID Token was issued in the future (iat): ${CHECK_CLOCK}`)
  }
  if (claims.iat < now - MAX_AGE) {
    throw new Error(`the ID Token is older than an hour (iat): ${CHECK_CLOCK}`)
  }
  if (claims.azp !== undefined && claims.azp !== client.client_id) {
    throw new Error('the ID Token was issued to another client (azp)')
  }
  await verifyAccessTokenHash(claims, tokens)
  return claims
}

/**
 * Verifies the JWT of a response with the keys of the issuer, and with no others (I-24). Its payload
 * must be UTF-8 (RFC 7519 §7.2): oauth4webapi replaces invalid bytes, so that two subjects could become
 * one.
 *
 * @throws Error if no key verifies it, or if its payload is not UTF-8
 */
export async function verifySignature(
  as: oauth.AuthorizationServer,
  response: Response,
  jws: string,
  keys: KeySet,
  runtime: ProviderRuntime,
): Promise<void> {
  const { kid } = decodePart(jws, 0)
  decodePart(jws, 1)
  const check = (jwks: JsonWebKeySet): Promise<void> => verifyWithKeys(as, response, jwks)
  return keys.verify(as.jwks_uri ?? '', runtime, check, { kid })
}

function verifyWithKeys(
  as: oauth.AuthorizationServer,
  response: Response,
  jwks: JsonWebKeySet,
): Promise<void> {
  // oauth4webapi caches by object. Copies make it use exactly these keys, and no promise of another
  // request, which Workers would refuse to await.
  const cache = {
    jwks: structuredClone(jwks) as oauth.JWKS,
    uat: Math.floor(platformClock.now() / 1000),
  }
  return oauth.validateApplicationLevelSignature({ ...as }, response, { [oauth.jwksCache]: cache })
}

/** Checks `at_hash`, which is optional in the code flow (OpenID Connect Core 1.0 §3.1.3.6). */
async function verifyAccessTokenHash(
  claims: oauth.IDToken,
  tokens: oauth.TokenEndpointResponse,
): Promise<void> {
  if (claims['at_hash'] === undefined) return
  const { alg } = decodePart(tokens.id_token, 0)
  const digest = fromBase64url(
    await platform.hash(tokens.access_token, toHashAlgorithm(String(alg))),
  )
  const half = digest.subarray(0, digest.byteLength / 2)
  if (claims['at_hash'] !== toBase64url(half)) {
    throw new Error('the ID Token has the hash of another access token (at_hash)')
  }
}

function toHashAlgorithm(alg: string): HashAlgorithm {
  // Ed25519 signs with SHA-512.
  return `SHA-${(['256', '384'] as const).find((bits) => alg.endsWith(bits)) ?? '512'}`
}

/**
 * Returns the server with the issuer that a token response must name. Some providers sign for many
 * issuers, and another claim of the ID Token says for which. That claim is read before the signature
 * is verified; the verification then covers it.
 */
export async function withExpectedIssuer(
  { expectedIssuer }: OidcConfig,
  as: oauth.AuthorizationServer,
  response: Response,
): Promise<oauth.AuthorizationServer> {
  if (!expectedIssuer || response.status !== 200) return as
  const idToken = readMember(await response.clone().json(), 'id_token')
  return { ...as, issuer: expectedIssuer(decodePart(idToken, 1)) }
}

/**
 * Decodes a part of a compact JWS (RFC 7515 §7.1): 0 is the header, 1 the payload.
 *
 * @throws TypeError if it is not UTF-8, or not an object
 */
function decodePart(jws: unknown, part: 0 | 1): Claims {
  return toClaims(JSON.parse(fromUtf8(fromBase64url(String(jws).split('.')[part] ?? ''))))
}
