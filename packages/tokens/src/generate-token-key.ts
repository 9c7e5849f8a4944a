import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import type { TokenKey } from './token-keys.ts'

/**
 * Generates a key for the option `tokens.keys`. It is secret: its `kid` is the thumbprint of its public
 * part (RFC 7638).
 *
 * @param alg Default: `EdDSA`
 *
 * @example
 *   import { generateTokenKey } from '@latchkey/tokens/token-key'
 *
 *   console.log(JSON.stringify(await generateTokenKey()))
 */
export async function generateTokenKey(alg: 'EdDSA' | 'ES256' = 'EdDSA'): Promise<TokenKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const { kty = '', crv = '', x = '', y, d = '' } = await exportJWK(privateKey)
  const members = { kty, crv, x, ...(y !== undefined && { y }) }
  return { ...members, d, kid: await calculateJwkThumbprint(members), alg, use: 'sig' }
}
