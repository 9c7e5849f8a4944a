import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { ConfigurationError, isSecureUrl, readText } from '@latchkey/core/capability/options'

/** The options of {@link createTokenVerifier}. */
export interface TokenVerifierOptions {
  /** The URL of the sign-in service, with its base path: `https://auth.example.com/api/auth`. */
  readonly issuer: string
  /** The `audience` of `apiTokens()` of the service. */
  readonly audience: string
  /**
   * The URL of the key set, or the key set itself, for an API that fetches nothing. Default: the
   * service's `/jwks`. A fetched one is kept for ten minutes, and fetched again for an unknown key, at
   * most every 30 seconds.
   */
  readonly jwks?: string | { readonly keys: readonly object[] }
}

/** The claims of a verified token: the claims of the service, and what its `tokens.claims` adds. */
export interface VerifiedToken extends Readonly<Record<string, unknown>> {
  readonly iss: string
  /** The id of the user. */
  readonly sub: string
  readonly aud: string
  /** Seconds since 1970. */
  readonly exp: number
  /** Seconds since 1970. */
  readonly iat: number
  readonly jti: string
}

/**
 * Returns the claims of a token.
 *
 * @throws TokenError
 */
export type TokenVerifier = (token: string) => Promise<VerifiedToken>

/** A token that is not valid, or cannot be verified at the moment. `cause` has the reason for the log. */
export class TokenError extends Error {
  /** `invalid`: the caller needs another token · `unavailable`: the keys could not be fetched. */
  readonly code: 'invalid' | 'unavailable'

  constructor(code: TokenError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TokenError'
    this.code = code
  }
}

/** Seconds by which the clocks of the service and of an API may differ. */
const CLOCK_TOLERANCE = 5

/**
 * Creates the function with which an API verifies the tokens of the sign-in service. It accepts
 * only the type `at+jwt`, signed with EdDSA, ES256 or RS256 by a key of the service, of this issuer and for this
 * audience.
 *
 * @example
 *   import { createTokenVerifier } from '@latchkey/tokens/verify-token'
 *
 *   const verify = createTokenVerifier({
 *     issuer: 'https://auth.example.com/api/auth',
 *     audience: 'https://api.example.com',
 *   })
 *   async function getUserId(request: Request): Promise<string | undefined> {
 *     const [, token] = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
 *     return token === undefined ? undefined : (await verify(token)).sub
 *   }
 *
 * @throws ConfigurationError `issuer`, `audience` or `jwks`
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { issuer, audience } = options
  if (!isHttpsUrl(issuer))
    throw new ConfigurationError('issuer', 'must be the https URL of the service')
  if (typeof audience !== 'string' || audience === '') {
    throw new ConfigurationError(
      'audience',
      'must be the audience that the service is configured with',
    )
  }
  const getKey = resolveKeys(options)
  const expected = {
    issuer,
    audience,
    typ: 'at+jwt',
    algorithms: ['EdDSA', 'ES256', 'RS256'],
    clockTolerance: CLOCK_TOLERANCE,
  }
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, getKey, expected)
      return toVerified(payload)
    } catch (cause) {
      throw toTokenError(cause)
    }
  }
}

function resolveKeys({ issuer, jwks = `${issuer}/jwks` }: TokenVerifierOptions): JWTVerifyGetKey {
  if (typeof jwks !== 'string') {
    try {
      return createLocalJWKSet({ keys: jwks.keys.map((key) => ({ ...key })) })
    } catch {
      throw new ConfigurationError('jwks', 'must be a URL or a JSON Web Key Set')
    }
  }
  if (isHttpsUrl(jwks)) return createRemoteJWKSet(new URL(jwks))
  throw new ConfigurationError('jwks', 'must be the https URL of the key set')
}

function isHttpsUrl(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && isSecureUrl(url)
}

/** One audience could pass on a token for several audiences to another (RFC 8725 §3.9). */
function toVerified(payload: JWTPayload): VerifiedToken {
  const { iss, sub, aud, exp, iat, jti } = payload
  const hasClaims = iss !== undefined && exp !== undefined && iat !== undefined
  const isText = typeof sub === 'string' && sub !== ''
  if (hasClaims && isText && typeof aud === 'string' && typeof jti === 'string') {
    return { ...payload, iss, sub, aud, exp, iat, jti }
  }
  throw new TokenError(
    'invalid',
    'the token must have one audience, a subject, an expiry, a time of issue and an id',
  )
}

/** An error of the network, of the status or of the time limit is not the token's. */
function toTokenError(cause: unknown): TokenError {
  if (cause instanceof TokenError) return cause
  const code = readText(cause, 'code') ?? ''
  const isOfKeySet = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code]
  const isOfToken = cause instanceof errors.JOSEError && !isOfKeySet.includes(code)
  if (isOfToken) return new TokenError('invalid', 'the token is not valid', { cause })
  return new TokenError('unavailable', 'the keys of the issuer could not be fetched', { cause })
}
