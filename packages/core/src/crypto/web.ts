import { concatBytes } from '../lib/bytes.ts'
import { fromBase64url, fromUtf8, isCanonicalBase64url, toBase64url, toUtf8 } from './encoding.ts'
import type { AesKey, Derivation, HmacKey, Platform, RootKey } from './platform.ts'
import { createRandomPool } from './random-pool.ts'
import { checkIv, parseSealedText, TAG_LENGTH } from './sealed-text.ts'

/** The cryptography of workerd, edge runtimes and browsers: WebCrypto. */
export const platform: Platform = {
  async hash(text, algorithm = 'SHA-256') {
    return toBase64url(new Uint8Array(await crypto.subtle.digest(algorithm, toUtf8(text))))
  },
  async importSecret(secret) {
    const usages: KeyUsage[] = ['deriveKey', 'deriveBits']
    return createRootKey(
      await crypto.subtle.importKey('raw', toUtf8(secret), 'HKDF', false, usages),
    )
  },
  random: createRandomPool((bytes) => crypto.getRandomValues(bytes)),
}

function createRootKey(root: CryptoKey): RootKey {
  const derive = (
    derivation: Derivation,
    algorithm: AesKeyGenParams | HmacKeyGenParams,
    usages: KeyUsage[],
  ): Promise<CryptoKey> =>
    crypto.subtle.deriveKey(toParams(derivation), root, algorithm, false, usages)
  return {
    async deriveBytes(derivation, length) {
      const bits = await crypto.subtle.deriveBits(toParams(derivation), root, length * 8)
      return new Uint8Array(bits)
    },
    async deriveAesKey(derivation) {
      const algorithm = { name: 'AES-GCM', length: 256 }
      return createAesKey(await derive(derivation, algorithm, ['encrypt', 'decrypt']))
    },
    async deriveHmacKey(derivation) {
      const algorithm = { name: 'HMAC', hash: 'SHA-256', length: 256 }
      return createHmacKey(await derive(derivation, algorithm, ['sign', 'verify']))
    },
  }
}

function toParams({ salt, info }: Derivation): HkdfParams {
  return { name: 'HKDF', hash: 'SHA-256', salt: toUtf8(salt), info: toUtf8(info) }
}

function createAesKey(key: CryptoKey): AesKey {
  return {
    async seal(text, additionalData, iv) {
      checkIv(iv)
      const params = { name: 'AES-GCM', iv, additionalData: toUtf8(additionalData) }
      const bytes = new Uint8Array(await crypto.subtle.encrypt(params, key, toUtf8(text)))
      // WebCrypto appends the tag to the ciphertext.
      const [ciphertext, tag] = [bytes.subarray(0, -TAG_LENGTH), bytes.subarray(-TAG_LENGTH)]
      return [iv, ciphertext, tag].map(toBase64url).join('.')
    },
    async open(sealed, additionalData) {
      const parts = parseSealedText(sealed)
      if (!parts) return undefined
      const bytes = concatBytes([fromBase64url(parts.ciphertext), fromBase64url(parts.tag)])
      const iv = fromBase64url(parts.iv)
      const params = { name: 'AES-GCM', iv, additionalData: toUtf8(additionalData) }
      try {
        return fromUtf8(await crypto.subtle.decrypt(params, key, bytes))
      } catch {
        return undefined // Altered, or sealed with another key.
      }
    },
  }
}

function createHmacKey(key: CryptoKey): HmacKey {
  return {
    async sign(text) {
      return toBase64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, toUtf8(text))))
    },
    async verify(text, mac) {
      if (!isCanonicalBase64url(mac)) return false
      return crypto.subtle.verify('HMAC', key, fromBase64url(mac), toUtf8(text))
    },
  }
}
