import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import type { JSONWebKeySet, JWTPayload } from 'jose'
import { algorithms } from '../oauth/jws-algorithms.ts'
import { isStorableText } from '../lib/storable-text.ts'
import type { OpenIdClient } from '../ports/provider.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { RefusedTokens } from './refused-tokens.ts'

/** A verified Logout Token (OpenID Connect Back-Channel Logout 1.0 §2.4). */
export interface LogoutToken {
  readonly jti: string
  /** The provider's session that ends. At least one of `sid` and `subject` is given. */
  readonly sid: string | undefined
  /** The provider's identifier of the user. */
  readonly subject: string | undefined
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Seconds by which the clocks may differ, as for ID Tokens (I-24). */
const TOLERANCE = 30
/** The greatest age of a token, in seconds: the provider sends it immediately. */
export const MAX_TOKEN_AGE = 600

/**
 * Verifies a Logout Token (Back-Channel Logout 1.0 §2.6). An encrypted token is refused: no client of
 * the service registers a key for it. Anyone can post here: a text that is not a JWT causes no request. After
 * many tokens that no key verified, an unknown `kid` causes no request either.
 *
 * @throws Error naming the check that failed
 */
export async function verifyLogoutToken(
  token: string,
  openid: OpenIdClient,
  runtime: ProviderRuntime,
  refused: RefusedTokens,
): Promise<LogoutToken> {
  const kid = readKeyId(token)
  const now = runtime.now() / 1000
  const server = await openid.getServer(runtime)
  let verified: { readonly payload: JWTPayload; readonly typ: string | undefined } | undefined
  const check = async (jwks: object): Promise<void> => {
    const keys = createLocalJWKSet(jwks as JSONWebKeySet)
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms,
      audience: openid.clientId,
      requiredClaims: ['iss', 'iat', 'exp', 'jti', 'events'],
      clockTolerance: TOLERANCE,
      currentDate: new Date(runtime.now()),
    })
    verified = { payload, typ: protectedHeader.typ }
  }
  try {
    await openid.verifyWithKeys(server, runtime, check, { kid, isLimited: refused.areMany(now) })
  } catch (thrown) {
    refused.add(now)
    throw thrown
  }
  if (!verified) throw new Error('expected a verified signature')
  const { payload, typ } = verified
  assert('iss', payload.iss === openid.getIssuer(server, payload))
  assert('typ', typ === undefined || /^(application\/)?(logout\+)?jwt$/i.test(typ))
  return toLogoutToken(payload, openid, runtime.now() / 1000)
}

/**
 * Returns the `kid` of a JWT that could be verified.
 *
 * @throws Error if the text is not a JWT in compact serialization, with a signature of our algorithms
 */
function readKeyId(token: string): unknown {
  decodeJwt(token)
  const { alg = '', kid } = decodeProtectedHeader(token)
  assert('alg', algorithms.includes(alg))
  assert('signature', /^[\w-]+$/.test(token.split('.')[2] ?? ''))
  return kid
}

async function toLogoutToken(
  payload: JWTPayload,
  openid: OpenIdClient,
  now: number,
): Promise<LogoutToken> {
  const { iat = 0, jti, events, nonce, sid, sub } = payload
  assert('iat', iat > now - MAX_TOKEN_AGE - TOLERANCE && iat < now + TOLERANCE)
  assert('jti', isText(jti))
  const event = (events as Readonly<Record<string, unknown>> | null)?.[EVENT]
  assert('events', typeof event === 'object' && event !== null && !Array.isArray(event))
  // So that no ID Token passes for a Logout Token.
  assert('nonce', nonce === undefined)
  assert('sid or sub', sid !== undefined || sub !== undefined)
  assert('sid', sid === undefined || isText(sid))
  const subject = sub === undefined ? undefined : toText(await openid.getSubject(payload))
  // What identifies the user may need claims that only an ID Token has.
  assert('sub', subject === undefined ? sid !== undefined : isText(subject))
  return { jti: jti as string, sid: sid as string | undefined, subject }
}

function toText(subject: unknown): string | undefined {
  return typeof subject === 'string' || typeof subject === 'number' ? String(subject) : undefined
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= 255 && isStorableText(value)
}

function assert(claim: string, isValid: boolean): void {
  if (!isValid) throw new Error(`the Logout Token has no valid ${claim}`)
}
