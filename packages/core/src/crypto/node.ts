import { Buffer, isUtf8 } from 'node:buffer'
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { toUtf8 } from './encoding.ts'
import type { AesKey, Derivation, HashAlgorithm, HmacKey, Platform, RootKey } from './platform.ts'
import { createRandomPool } from './random-pool.ts'
import { checkIv, parseSealedText, TAG_LENGTH } from './sealed-text.ts'

/** The cryptography of Node, Deno and Bun: `node:crypto`, synchronous. */
export const platform: Platform = {
  hash: (text, algorithm = 'SHA-256') => hash(hashNames[algorithm], text, 'base64url'),
  importSecret: (secret) => createRootKey(createSecretKey(toUtf8(secret))),
  random: createRandomPool((bytes) => randomFillSync(bytes)),
}

const hashNames: Readonly<Record<HashAlgorithm, string>> = {
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
}

function createRootKey(root: KeyObject): RootKey {
  const deriveBytes = ({ salt, info }: Derivation, length: number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(hkdfSync('sha256', root, salt, info, length))
  return {
    deriveBytes,
    deriveAesKey: (derivation) => createAesKey(createSecretKey(deriveBytes(derivation, 32))),
    deriveHmacKey: (derivation) => createHmacKey(createSecretKey(deriveBytes(derivation, 32))),
  }
}

const options = { authTagLength: TAG_LENGTH }

function createAesKey(key: KeyObject): AesKey {
  return {
    seal(text, additionalData, iv) {
      checkIv(iv)
      const cipher = createCipheriv('aes-256-gcm', key, iv, options)
      cipher.setAAD(Buffer.from(additionalData))
      const ciphertext = cipher.update(text, 'utf8')
      cipher.final() // Empty: GCM is a stream cipher.
      return [Buffer.from(iv), ciphertext, cipher.getAuthTag()].map(toBase64url).join('.')
    },
    open(sealed, additionalData) {
      const parts = parseSealedText(sealed)
      if (!parts) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key, fromBase64url(parts.iv), options)
      decipher.setAAD(Buffer.from(additionalData))
      decipher.setAuthTag(fromBase64url(parts.tag))
      const text = decipher.update(fromBase64url(parts.ciphertext))
      try {
        decipher.final()
      } catch {
        return undefined // Altered, or sealed with another key.
      }
      return isUtf8(text) ? text.toString() : undefined
    },
  }
}

function createHmacKey(key: KeyObject): HmacKey {
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url')
  return {
    sign,
    async verify(text, mac) {
      const [expected, given] = [Buffer.from(sign(text)), Buffer.from(mac)]
      return expected.byteLength === given.byteLength && timingSafeEqual(expected, given)
    },
  }
}

function toBase64url(bytes: Buffer): string {
  return bytes.toString('base64url')
}

function fromBase64url(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}
