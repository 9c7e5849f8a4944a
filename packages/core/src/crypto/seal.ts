import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '../lib/bytes.ts'
import { equalInConstantTime, fromBase64url, fromUtf8, toBase64url, toUtf8 } from './encoding.ts'
import { lazy } from '../lib/lazy.ts'
import type { Runtime } from '../ports/runtime.ts'

/** Encrypts JSON as a compact JWE (RFC 7516 §7.1) and decrypts it (I-13). */
export interface Sealer {
  /**
   * Encrypts an object together with its expiry.
   *
   * @param expires Seconds since 1970
   */
  seal(content: object, expires: number): Promise<string>
  /**
   * Returns the content, with its expiry as `exp`; undefined if the value is missing, was not sealed
   * with one of the keys, or has expired.
   *
   * @param now Seconds since 1970
   */
  open(
    sealed: string | undefined,
    now: number,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
}

/** Computes and verifies the HMAC-SHA-256 of a text, in base64url. */
export interface Signer {
  /** Returns the HMAC under the first secret. */
  sign(text: string): Promise<string>
  /** Returns the HMAC under each secret, the first secret first. */
  signWithAll(text: string): Promise<readonly string[]>
  /** Returns whether `mac` is the HMAC under any secret; compares in constant time. */
  verify(text: string, mac: string): Promise<boolean>
}

/**
 * The keys of a service, one per purpose and secret. A value that was sealed or signed for one purpose
 * is invalid for every other.
 */
export interface Keys {
  readonly session: Sealer
  readonly flow: Sealer
  readonly return: Sealer
  readonly csrf: Signer
  /** Ids of imported sessions (I-45). */
  readonly import: Signer
  /** Single-use tokens, email codes and the keys of limits. */
  readonly token: Signer
}

/**
 * Derives the keys of a service by HKDF-SHA-256 (RFC 5869) with the purpose and its version as `info`.
 * The first secret seals; every secret opens, selected by `kid`. Each key is derived at its first use,
 * because Workers allow no cryptography while a script starts.
 *
 * @param secrets Texts of at least 32 bytes
 */
export function createKeys(secrets: readonly string[], random: Runtime['random']): Keys {
  const roots = lazy(() => Promise.all(secrets.map(importSecret)))
  const deriveEach = <T>(derive: (root: CryptoKey) => Promise<T>): (() => Promise<readonly T[]>) =>
    lazy(async () => Promise.all((await roots()).map(derive)))
  const sealer = (purpose: string): Sealer =>
    createSealer(
      deriveEach((root) => deriveSealKey(root, purpose)),
      random,
    )
  const signer = (purpose: string): Signer =>
    createSigner(
      deriveEach(async (root) => hmac.create(sha256, await deriveBytes(root, purpose, 32))),
    )
  return {
    session: sealer('session'),
    flow: sealer('flow'),
    return: sealer('return'),
    csrf: signer('csrf'),
    import: signer('import'),
    token: signer('token'),
  }
}

function importSecret(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', toUtf8(secret), 'HKDF', false, ['deriveKey', 'deriveBits'])
}

function hkdfParams(purpose: string): HkdfParams {
  return { name: 'HKDF', hash: 'SHA-256', salt: toUtf8(''), info: toUtf8(`latchkey ${purpose} v1`) }
}

async function deriveBytes(root: CryptoKey, purpose: string, length: number): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.deriveBits(hkdfParams(purpose), root, length * 8))
}

/** A key with its encoded protected header; only values with exactly this header are opened. */
export interface SealKey {
  readonly header: string
  readonly key: CryptoKey
}

async function deriveSealKey(root: CryptoKey, purpose: string): Promise<SealKey> {
  const kid = toBase64url(await deriveBytes(root, 'kid', 6))
  const aes = { name: 'AES-GCM', length: 256 }
  return {
    header: toBase64url(toUtf8(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid }))),
    key: await crypto.subtle.deriveKey(hkdfParams(purpose), root, aes, false, [
      'encrypt',
      'decrypt',
    ]),
  }
}

/** Bytes of the authentication tag, which WebCrypto appends to the ciphertext. */
const TAG_LENGTH = 16

// Strict, because base64url decoders accept white space and padding: one value has one encoding.
const compactJwe = /^([\w-]+)\.\.([\w-]{16})\.([\w-]+)\.([\w-]{22})$/

/** Creates a {@link Sealer} that seals with the first key and opens with the key of the same header. */
export function createSealer(
  keys: () => Promise<readonly SealKey[]>,
  random: Runtime['random'],
): Sealer {
  return {
    async seal(content, expires) {
      const { header, key } = getFirst(await keys())
      const iv = random(12)
      const text = toUtf8(JSON.stringify({ ...content, exp: expires }))
      const sealed = new Uint8Array(await crypto.subtle.encrypt(gcmParams(iv, header), key, text))
      const [ciphertext, tag] = [sealed.subarray(0, -TAG_LENGTH), sealed.subarray(-TAG_LENGTH)]
      return [header, '', ...[iv, ciphertext, tag].map(toBase64url)].join('.')
    },
    async open(sealed, now) {
      const [, header, iv = '', ciphertext = '', tag = ''] = compactJwe.exec(sealed ?? '') ?? []
      if (header === undefined) return undefined
      const entry = (await keys()).find((candidate) => candidate.header === header)
      if (!entry) return undefined
      try {
        const sealedBytes = concatBytes([fromBase64url(ciphertext), fromBase64url(tag)])
        const params = gcmParams(fromBase64url(iv), entry.header)
        const text = await crypto.subtle.decrypt(params, entry.key, sealedBytes)
        const content = JSON.parse(fromUtf8(text)) as Record<string, unknown>
        return Number(content['exp']) > now ? content : undefined
      } catch {
        return undefined // Altered, or sealed by another service.
      }
    },
  }
}

function gcmParams(iv: Uint8Array<ArrayBuffer>, header: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: toUtf8(header) }
}

// noble's HMAC instead of WebCrypto's, which takes ten times as long on Node; every POST and every
// page waits for it.
function createSigner(keys: () => Promise<readonly KeyedHmac[]>): Signer {
  return {
    sign: async (text) => computeMac(getFirst(await keys()), text),
    signWithAll: async (text) => (await keys()).map((key) => computeMac(key, text)),
    verify: async (text, mac) =>
      (await keys()).some((key) => equalInConstantTime(computeMac(key, text), mac)),
  }
}

/** An HMAC that is initialized with its key. */
type KeyedHmac = ReturnType<typeof hmac.create>

function computeMac(hmacKey: KeyedHmac, text: string): string {
  return toBase64url(hmacKey.clone().update(toUtf8(text)).digest())
}

function getFirst<T>(keys: readonly T[]): T {
  const [key] = keys
  if (!key) throw new Error('expected at least one key')
  return key
}
