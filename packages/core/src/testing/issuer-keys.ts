import { base64url, exportJWK, exportSPKI } from 'jose'
import type { JWK } from 'jose'

/** What ID Tokens can be signed with (RFC 7518 §3.1, RFC 8037 §3.1). */
export type Algorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA'

/** A key pair that signs, with its public half as a JSON Web Key. */
export interface SigningKey {
  readonly algorithm: Algorithm
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

interface AlgorithmRow {
  readonly key: RsaHashedKeyGenParams | EcKeyGenParams | { readonly name: 'Ed25519' }
  readonly signature: RsaPssParams | EcdsaParams | { readonly name: string }
  /** What `at_hash` is made with. */
  readonly hash: 'SHA-256' | 'SHA-512'
}

const publicExponent = new Uint8Array([1, 0, 1])

const rows: Readonly<Record<Algorithm, AlgorithmRow>> = {
  RS256: {
    key: { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent, hash: 'SHA-256' },
    signature: { name: 'RSASSA-PKCS1-v1_5' },
    hash: 'SHA-256',
  },
  PS256: {
    key: { name: 'RSA-PSS', modulusLength: 2048, publicExponent, hash: 'SHA-256' },
    signature: { name: 'RSA-PSS', saltLength: 32 },
    hash: 'SHA-256',
  },
  ES256: {
    key: { name: 'ECDSA', namedCurve: 'P-256' },
    signature: { name: 'ECDSA', hash: 'SHA-256' },
    hash: 'SHA-256',
  },
  EdDSA: { key: { name: 'Ed25519' }, signature: { name: 'Ed25519' }, hash: 'SHA-512' },
}

/**
 * Makes a key pair. WebCrypto rather than a library makes it, because a hostile issuer needs keys
 * that a library refuses, such as RSA keys of 1024 bits.
 */
export async function createSigningKey(
  algorithm: Algorithm,
  kid: string = crypto.randomUUID(),
  modulusLength = 2048,
): Promise<SigningKey> {
  const { key } = rows[algorithm]
  const parameters = 'modulusLength' in key ? { ...key, modulusLength } : key
  const { privateKey, publicKey } = (await crypto.subtle.generateKey(parameters, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: algorithm }
  return { algorithm, kid, privateKey, publicKey, jwk }
}

/** Makes the signature of a JWS from its signing input. */
export type Sign = (input: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>

/** A signature with a private key. */
export function signWith({ algorithm, privateKey }: SigningKey): Sign {
  return async (input) =>
    new Uint8Array(await crypto.subtle.sign(rows[algorithm].signature, privateKey, input))
}

/** What `HS256` makes of a text that is no secret: the confusion of RFC 8725 §2.1. */
export function hmacWith(secret: string): Sign {
  return async (input) => {
    const parameters = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', bytes(secret), parameters, false, ['sign'])
    return new Uint8Array(await crypto.subtle.sign('HMAC', key, input))
  }
}

/** A public key as the text that such a confusion takes for a secret. */
export async function publicText(key: SigningKey, form: 'pem' | 'jwk'): Promise<string> {
  return form === 'pem' ? exportSPKI(key.publicKey) : JSON.stringify(key.jwk)
}

/** A JWS in compact serialisation (RFC 7515 §7.1); nothing of it is checked. */
export async function compactJws(header: object, payload: string, sign: Sign): Promise<string> {
  const input = `${encode(JSON.stringify(header))}.${encode(payload)}`
  return `${input}.${base64url.encode(await sign(bytes(input)))}`
}

/** `at_hash` (OpenID Connect Core 1.0 §3.1.3.6). */
export async function accessTokenHash(algorithm: Algorithm, accessToken: string): Promise<string> {
  const digest = await crypto.subtle.digest(rows[algorithm].hash, bytes(accessToken))
  return base64url.encode(new Uint8Array(digest.slice(0, digest.byteLength / 2)))
}

/** The challenge of a PKCE verifier (RFC 7636 §4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes(verifier))
  return base64url.encode(new Uint8Array(digest))
}

function encode(text: string): string {
  return base64url.encode(bytes(text))
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
