import { CompactEncrypt, compactDecrypt } from 'jose'
import { lazy } from './lazy.ts'
import { base64urlOf, fromUtf8, utf8 } from './encoding.ts'

/** Seals JSON into a compact JWE and opens it again (I-13). */
export interface Sealer {
  /** `expires` in seconds since 1970; it is sealed in. */
  seal(content: object, expires: number): Promise<string>
  /** The content, or undefined where it is not ours, was altered or has expired at `now` (seconds). */
  open(sealed: string, now: number): Promise<Readonly<Record<string, unknown>> | undefined>
}

/** Makes and checks the MAC of a text. */
export interface Signer {
  sign(text: string): Promise<string>
  /** Compares in constant time. */
  verify(text: string, mac: Uint8Array<ArrayBuffer>): Promise<boolean>
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
}

const header = { alg: 'dir', enc: 'A256GCM' } as const

// Decoders of base64url forgive white space and padding; a seal has one form only.
const shape = /^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/

// Nothing but what we write ourselves can be parsed: no other algorithm, no compression.
const onlyOurs = {
  keyManagementAlgorithms: [header.alg],
  contentEncryptionAlgorithms: [header.enc],
  maxDecompressedLength: 0,
}

/**
 * Derives by HKDF-SHA-256 (RFC 5869) with the purpose and its version as `info`. The first secret
 * seals; all of them open, told apart by `kid`. Nothing is derived before it is needed, because
 * Workers allow no cryptography while a script starts.
 *
 * @param secrets Texts of at least 32 bytes
 */
export function createKeys(secrets: readonly string[]): Keys {
  const roots = lazy(() => Promise.all(secrets.map(root)))
  const derive = (purpose: keyof Keys, algorithm: Algorithm): LazyKeys =>
    lazy(async () => {
      const derived = (await roots()).map(async ({ kid, key }) => ({
        kid,
        key: await deriveKey(key, purpose, algorithm),
      }))
      return Promise.all(derived)
    })
  return {
    session: createSealer(derive('session', aes)),
    flow: createSealer(derive('flow', aes)),
    return: createSealer(derive('return', aes)),
    csrf: createSigner(derive('csrf', hmac)),
  }
}

type Algorithm = AesKeyGenParams | HmacKeyGenParams

const aes: AesKeyGenParams = { name: 'AES-GCM', length: 256 }
const hmac: HmacKeyGenParams = { name: 'HMAC', hash: 'SHA-256', length: 256 }

interface NamedKey {
  readonly kid: string
  readonly key: CryptoKey
}

type LazyKeys = () => Promise<readonly NamedKey[]>

async function root(secret: string): Promise<NamedKey> {
  const key = await crypto.subtle.importKey('raw', utf8(secret), 'HKDF', false, [
    'deriveKey',
    'deriveBits',
  ])
  return { key, kid: base64urlOf(await crypto.subtle.deriveBits(hkdf('kid'), key, 48)) }
}

function deriveKey(key: CryptoKey, purpose: string, algorithm: Algorithm): Promise<CryptoKey> {
  const usages: KeyUsage[] = algorithm === hmac ? ['sign', 'verify'] : ['encrypt', 'decrypt']
  return crypto.subtle.deriveKey(hkdf(purpose), key, algorithm, false, usages)
}

function hkdf(info: string): HkdfParams {
  return { name: 'HKDF', hash: 'SHA-256', salt: utf8(''), info: utf8(`latchkey ${info} v1`) }
}

function createSealer(keys: LazyKeys): Sealer {
  return {
    async seal(content, expires) {
      const { kid, key } = first(await keys())
      return new CompactEncrypt(utf8(JSON.stringify({ ...content, exp: expires })))
        .setProtectedHeader({ ...header, kid })
        .encrypt(key)
    },
    async open(sealed, now) {
      if (!shape.test(sealed)) return undefined
      const known = await keys()
      try {
        const keyOf = (protectedHeader?: { readonly kid?: string }): CryptoKey =>
          keyNamed(known, protectedHeader?.kid)
        const { plaintext } = await compactDecrypt(sealed, keyOf, onlyOurs)
        const content = JSON.parse(fromUtf8(plaintext)) as Record<string, unknown>
        return typeof content['exp'] === 'number' && content['exp'] > now ? content : undefined
      } catch {
        return undefined // Whatever is wrong with it, it is not a value that we sealed.
      }
    },
  }
}

function createSigner(keys: LazyKeys): Signer {
  return {
    async sign(text) {
      const { key } = first(await keys())
      return base64urlOf(await crypto.subtle.sign('HMAC', key, utf8(text)))
    },
    async verify(text, mac) {
      for (const { key } of await keys()) {
        if (await crypto.subtle.verify('HMAC', key, mac, utf8(text))) return true
      }
      return false
    },
  }
}

function keyNamed(keys: readonly NamedKey[], kid: string | undefined): CryptoKey {
  const named = keys.find((candidate) => candidate.kid === kid)
  if (!named) throw new Error('sealed with an unknown key')
  return named.key
}

function first(keys: readonly NamedKey[]): NamedKey {
  const [key] = keys
  if (!key) throw new Error('no key')
  return key
}
