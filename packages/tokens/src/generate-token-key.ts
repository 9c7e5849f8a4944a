import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import type { JWK } from 'jose'
import type { TokenKey } from './token-keys.ts'

/**
 * Generates a key for the option `tokens.keys`. It is secret: its `kid` is the thumbprint of its public
 * part (RFC 7638).
 *
 * @param alg `RS256` is for clients that know no other one, such as older OpenID clients. Default: `EdDSA`
 *
 * @example
 *   import { generateTokenKey } from '@latchkey/tokens/token-key'
 *
 *   console.log(JSON.stringify(await generateTokenKey()))
 */
export async function generateTokenKey(
  alg: 'EdDSA' | 'ES256' | 'RS256' = 'EdDSA',
): Promise<TokenKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const { kty = '', ...members } = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint({ kty, ...members })
  return { kty, ...pickTexts(members), kid, alg, use: 'sig' }
}

const texts = ['crv', 'x', 'y', 'n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const

function pickTexts(members: JWK): Omit<TokenKey, 'kty' | 'kid' | 'alg' | 'use'> {
  const given = texts.flatMap((name) =>
    members[name] === undefined ? [] : [[name, members[name]]],
  )
  return Object.fromEntries(given)
}
