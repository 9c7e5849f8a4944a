import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import type { JWTPayload } from 'jose'
import { algorithms } from '../oauth/jws-algorithms.ts'
import { isList, isObject, readMember } from '../lib/members.ts'
import { isStorableId } from '../lib/storable-text.ts'
import type { OpenIdClient } from '../ports/provider.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'

/** A verified Logout Token (OpenID Connect Back-Channel Logout 1.0 §2.4). */
export interface LogoutToken {
  readonly jti: string
  /** The provider's session that ends. At least one of `sid` and `subject` is given. */
  readonly sid: string | undefined
  /** The provider's identifier of the user. */
  readonly subject: string | undefined
}

/** The claims of a Logout Token, whose signature need not be verified yet. */
interface CheckedPayload extends JWTPayload {
  readonly jti: string
  readonly sid?: string | undefined
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Seconds by which the clocks may differ, as for ID Tokens (I-24). */
const TOLERANCE = 30
/** The greatest age of a token, in seconds: the provider sends it immediately. */
export const MAX_TOKEN_AGE = 600

/**
 * Verifies a Logout Token (Back-Channel Logout 1.0 §2.6). An encrypted token is refused: no client of
 * the service registers a key for it. Anyone can post here: the claims are checked before the signature, so
 * that only what could be a Logout Token of the issuer causes a fetch of keys.
 *
 * @throws Error naming the check that failed
 */
export async function verifyLogoutToken(
  openid: OpenIdClient,
  token: string,
  runtime: ProviderRuntime,
): Promise<LogoutToken> {
  const payload = decodeJwt(token)
  const kid = readKeyId(token)
  checkClaims(payload, runtime.now() / 1000)
  const server = await openid.getServer(runtime)
  checkClaim('iss', payload.iss === openid.getIssuer(server, payload))
  let isVerified = false
  const check: Parameters<OpenIdClient['verifyWithKeys']>[2] = async ({ keys }) => {
    await jwtVerify(token, createLocalJWKSet({ keys: [...keys] }), {
      algorithms,
      audience: openid.clientId,
      requiredClaims: ['iat', 'exp'],
      clockTolerance: TOLERANCE,
      currentDate: new Date(runtime.now()),
    })
    isVerified = true
  }
  await openid.verifyWithKeys(server, runtime, check, { kid })
  if (!isVerified) throw new Error('expected a verified signature')
  return toLogoutToken(openid, payload)
}

/**
 * Returns the `kid` of a JWT that could be verified.
 *
 * @throws Error if it has no signature of our algorithms, or is of another type
 */
function readKeyId(token: string): unknown {
  const { alg = '', kid, typ } = decodeProtectedHeader(token)
  checkClaim('alg', algorithms.includes(alg))
  checkClaim('signature', /^[\w-]+$/.test(token.split('.')[2] ?? ''))
  checkClaim('typ', typ === undefined || /^(application\/)?(logout\+)?jwt$/i.test(typ))
  return kid
}

function checkClaims(payload: JWTPayload, now: number): asserts payload is CheckedPayload {
  const { iat = 0, jti, events, nonce, sid, sub } = payload
  checkClaim('iat', iat > now - MAX_TOKEN_AGE - TOLERANCE && iat < now + TOLERANCE)
  checkClaim('jti', isStorableId(jti))
  const event = readMember(events, EVENT)
  checkClaim('events', isObject(event) && !isList(event))
  // So that no ID Token passes for a Logout Token.
  checkClaim('nonce', nonce === undefined)
  checkClaim('sid or sub', sid !== undefined || sub !== undefined)
  checkClaim('sid', sid === undefined || isStorableId(sid))
}

async function toLogoutToken(openid: OpenIdClient, payload: CheckedPayload): Promise<LogoutToken> {
  const { jti, sid, sub } = payload
  const subject = sub === undefined ? undefined : toText(await openid.getSubject(payload))
  // What identifies the user may need claims that only an ID Token has.
  checkClaim('sub', subject === undefined ? sid !== undefined : isStorableId(subject))
  return { jti, sid, subject }
}

function toText(subject: unknown): string | undefined {
  return typeof subject === 'string' || typeof subject === 'number' ? String(subject) : undefined
}

function checkClaim(claim: string, isValid: boolean): void {
  if (!isValid) throw new Error(`the Logout Token has no valid ${claim}`)
}
