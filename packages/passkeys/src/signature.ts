import { concatBytes, toBase64url } from './bytes.ts'
import type { CoseKey } from './cose-key.ts'
import { fromDerSignature } from './der.ts'
import { hasSmallOrder } from './ed25519.ts'
import { refused } from './errors.ts'

type Bytes = Uint8Array<ArrayBuffer>

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/**
 * Imports a public key into WebCrypto, which checks that a point of P-256 is on the curve.
 *
 * @throws PasskeyError `refused` if the key is invalid, or the runtime does not support its algorithm
 */
export async function importPublicKey(key: CoseKey): Promise<CryptoKey> {
  if (key.algorithm === -8 && hasSmallOrder(key.x)) {
    throw refused('the Ed25519 key has a small order')
  }
  try {
    return await importKey(key)
  } catch (cause) {
    throw refused('the public key is invalid, or not supported by the runtime', { cause })
  }
}

function importKey(key: CoseKey): Promise<CryptoKey> {
  switch (key.algorithm) {
    case -7: {
      const point = concatBytes(Uint8Array.of(4), key.x, key.y)
      return crypto.subtle.importKey('raw', point, ecdsa, false, ['verify'])
    }
    case -8:
      return crypto.subtle.importKey('raw', key.x, 'Ed25519', false, ['verify'])
    case -257: {
      const jwk = { kty: 'RSA', n: toBase64url(key.n), e: toBase64url(key.e) }
      return crypto.subtle.importKey('jwk', jwk, rsa, false, ['verify'])
    }
  }
}

/**
 * Returns whether a signature is valid (WebAuthn §6.5.5).
 *
 * @throws PasskeyError `refused` if the public key is invalid
 */
export async function verifySignature(
  key: CoseKey,
  signature: Bytes,
  message: Bytes,
): Promise<boolean> {
  const publicKey = await importPublicKey(key)
  switch (key.algorithm) {
    case -7: {
      const raw = fromDerSignature(signature)
      return raw !== undefined && crypto.subtle.verify(ecdsa, publicKey, raw, message)
    }
    case -8:
      // RFC 8032 §5.1.7 step 1: workerd throws an error.
      if (signature.byteLength !== 64) return false
      return crypto.subtle.verify('Ed25519', publicKey, signature, message)
    case -257:
      return crypto.subtle.verify(rsa, publicKey, signature, message)
  }
}
