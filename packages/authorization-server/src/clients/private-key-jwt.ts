import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import type { JWTPayload } from 'jose'
import { sha256 } from '@latchkey/core/capability'
import { readText } from '@latchkey/core/capability/options'
import { getGrantStorage } from '../grant.ts'
import { OAuthError } from '../oauth-error.ts'
import type { ClientAssertions, PartContext } from '../parts.ts'
import type { Client } from './client.ts'

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
/** Seconds that an assertion may still be valid: its id is kept so long. */
const MAX_LIFE = 600
const CLOCK_TOLERANCE = 30

/**
 * Lets clients authenticate by `private_key_jwt` (RFC 7523 §2.2): the option `assertions`, for clients with `jwks`, and for those
 * whose metadata document has `jwks` or `jwks_uri`. A grant keeps the keys of such a document: one that is replaced is valid in grants
 * that began before.
 *
 * @example
 *   import { authorizationServer, privateKeyJwt } from '@latchkey/authorization-server'
 *
 *   declare const publicKey: JsonWebKey
 *   const server = authorizationServer({
 *     resources: { 'https://api.example.com/notes': { scopes: { read: { en: 'Read your notes' } } } },
 *     clients: [
 *       {
 *         id: 'partner',
 *         name: 'Partner',
 *         redirectUris: ['https://partner.example/cb'],
 *         jwks: { keys: [publicKey] },
 *       },
 *     ],
 *     assertions: privateKeyJwt(),
 *   })
 */
export function privateKeyJwt(): ClientAssertions {
  return { readSubject, verify: isAssertionOf }
}

function readSubject(parameters: ReadonlyMap<string, string>, assertion: string): string {
  if (parameters.get('client_assertion_type') !== TYPE) {
    throw new OAuthError('invalid_request', 'client_assertion_type is not the one of a JWT')
  }
  try {
    return readText(decodeJwt(assertion), 'sub') ?? ''
  } catch {
    return ''
  }
}

/** RFC 7523 §3: of the client, for this server, and once. */
async function isAssertionOf(
  ctx: PartContext,
  client: Client,
  assertion: string,
): Promise<boolean> {
  const payload = await verifyAssertion(ctx, client, assertion)
  return payload !== undefined && useOnce(ctx, client.id, payload)
}

/** Whatever fails is the client's: the assertion, or a key that its document has, which anyone can write. */
async function verifyAssertion(
  { issuer, endpoint, now }: PartContext,
  { id, jwks }: Client,
  assertion: string,
): Promise<JWTPayload | undefined> {
  if (!jwks) return undefined
  try {
    const keys = createLocalJWKSet({ keys: jwks.keys.map((key) => ({ ...key })) })
    const { payload } = await jwtVerify(assertion, keys, {
      issuer: id,
      subject: id,
      audience: [issuer, endpoint],
      algorithms: ['EdDSA', 'ES256', 'PS256', 'RS256'],
      requiredClaims: ['exp', 'jti'],
      clockTolerance: CLOCK_TOLERANCE,
      currentDate: new Date(now * 1000),
    })
    return payload
  } catch {
    return undefined
  }
}

async function useOnce(
  { service, now }: PartContext,
  clientId: string,
  { exp = 0, jti = '' }: { readonly exp?: number; readonly jti?: string },
): Promise<boolean> {
  // A time may have a fraction (RFC 7519 §2); storages count whole seconds.
  const life = Math.ceil(exp - now) + CLOCK_TOLERANCE
  if (life > MAX_LIFE + CLOCK_TOLERANCE || jti === '') return false
  const key = `jti ${await sha256(JSON.stringify([clientId, jti]))}`
  const { count } = await getGrantStorage(service).increment(key, Math.max(1, life), now)
  return count === 1
}
