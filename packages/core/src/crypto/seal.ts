import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '../lib/bytes.ts'
import { toBase64url, equalInConstantTime, fromBase64url, fromUtf8, toUtf8 } from './encoding.ts'
import { lazy } from '../lib/lazy.ts'
import type { Runtime } from '../ports/runtime.ts'

/** Seals JSON into a compact JWE (RFC 7516 §7.1) and opens it again (I-13). */
export interface Sealer {
  /** `expires` in seconds since 1970; it is sealed in. */
  seal(content: object, expires: number): Promise<string>
  /** The content, or undefined where there is none, it is not ours, was altered or has expired at `now` (seconds). */
  open(
    sealed: string | undefined,
    now: number,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
}

/** Makes and checks the HMAC-SHA-256 of a text, in base64url. */
export interface Signer {
  sign(text: string): Promise<string>
  /** The HMAC by each secret, the newest first. */
  signWithAll(text: string): Promise<readonly string[]>
  /** Compares in constant time. */
  verify(text: string, mac: string): Promise<boolean>
}

/**
 * The keys of a service: one per purpose and secret, derived once and kept. Each purpose has its
 * own, so nothing sealed for one opens as another.
 */
export interface Keys {
  readonly session: Sealer
  readonly flow: Sealer
  readonly return: Sealer
  readonly csrf: Signer
  /** Ids of imported sessions (I-45). */
  readonly import: Signer
  /** Single-use tokens and what goes with them. */
  readonly token: Signer
}

/**
 * Derives by HKDF-SHA-256 (RFC 5869) with the purpose and its version as `info`. The first secret
 * seals; all of them open, told apart by `kid`. Nothing is derived before it is needed, because
 * Workers allow no cryptography while a script starts.
 *
 * @param secrets Texts of at least 32 bytes
 */
export function createKeys(secrets: readonly string[], random: Runtime['random']): Keys {
  const roots = lazy(() => Promise.all(secrets.map(importSecret)))
  const each = <T>(make: (root: CryptoKey) => Promise<T>): (() => Promise<readonly T[]>) =>
    lazy(async () => Promise.all((await roots()).map(make)))
  const sealer = (purpose: string): Sealer =>
    createSealer(
      each((root) => sealKey(root, purpose)),
      random,
    )
  const signer = (purpose: string): Signer =>
    createSigner(each(async (root) => hmac.create(sha256, await deriveBytes(root, purpose, 32))))
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

function hkdf(purpose: string): HkdfParams {
  return { name: 'HKDF', hash: 'SHA-256', salt: toUtf8(''), info: toUtf8(`latchkey ${purpose} v1`) }
}

async function deriveBytes(root: CryptoKey, purpose: string, length: number): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.deriveBits(hkdf(purpose), root, length * 8))
}

/** A key, and the one protected header that goes with it: whatever has another is not ours. */
export interface SealKey {
  readonly header: string
  readonly key: CryptoKey
}

async function sealKey(root: CryptoKey, purpose: string): Promise<SealKey> {
  const kid = toBase64url(await deriveBytes(root, 'kid', 6))
  const aes = { name: 'AES-GCM', length: 256 }
  return {
    header: toBase64url(toUtf8(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid }))),
    key: await crypto.subtle.deriveKey(hkdf(purpose), root, aes, false, ['encrypt', 'decrypt']),
  }
}

/** Bytes of the authentication tag, which WebCrypto keeps at the end of the ciphertext. */
const TAG = 16

// One form and no other: decoders of base64url forgive white space and padding.
const shape = /^([\w-]+)\.\.([\w-]{16})\.([\w-]+)\.([\w-]{22})$/

/** Seals with the first key; opens with the one whose header a value has. */
export function createSealer(
  keys: () => Promise<readonly SealKey[]>,
  random: Runtime['random'],
): Sealer {
  return {
    async seal(content, expires) {
      const { header, key } = first(await keys())
      const iv = random(12)
      const text = toUtf8(JSON.stringify({ ...content, exp: expires }))
      const sealed = new Uint8Array(await crypto.subtle.encrypt(gcm(iv, header), key, text))
      const [ciphertext, tag] = [sealed.subarray(0, -TAG), sealed.subarray(-TAG)]
      return [header, '', ...[iv, ciphertext, tag].map(toBase64url)].join('.')
    },
    async open(sealed, now) {
      const [, header, iv = '', ciphertext = '', tag = ''] = shape.exec(sealed ?? '') ?? []
      if (header === undefined) return undefined
      const known = (await keys()).find((candidate) => candidate.header === header)
      if (!known) return undefined
      try {
        const sealedBytes = concatBytes([fromBase64url(ciphertext), fromBase64url(tag)])
        const gcmOf = gcm(fromBase64url(iv), known.header)
        const text = await crypto.subtle.decrypt(gcmOf, known.key, sealedBytes)
        const content = JSON.parse(fromUtf8(text)) as Record<string, unknown>
        return Number(content['exp']) > now ? content : undefined
      } catch {
        return undefined // Whatever is wrong with it, it is not a value that we sealed.
      }
    },
  }
}

function gcm(iv: Uint8Array<ArrayBuffer>, header: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: toUtf8(header) }
}

// HMAC is of noble, not of WebCrypto, whose answer takes ten times as long on Node; every POST and
// every page waits for it.
function createSigner(keys: () => Promise<readonly Mac[]>): Signer {
  return {
    sign: async (text) => macOf(first(await keys()), text),
    signWithAll: async (text) => (await keys()).map((key) => macOf(key, text)),
    verify: async (text, mac) =>
      (await keys()).some((key) => equalInConstantTime(macOf(key, text), mac)),
  }
}

/** An HMAC that has taken in its key. */
type Mac = ReturnType<typeof hmac.create>

function macOf(keyed: Mac, text: string): string {
  return toBase64url(keyed.clone().update(toUtf8(text)).digest())
}

function first<T>(keys: readonly T[]): T {
  const [key] = keys
  if (!key) throw new Error('no key')
  return key
}
