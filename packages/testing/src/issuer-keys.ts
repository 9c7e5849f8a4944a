import { base64url, exportJWK, exportSPKI } from 'jose'
import type { JWK } from 'jose'

/** The algorithm of an ID Token's signature (RFC 7518 §3.1, RFC 8037 §3.1). */
export type Algorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA'

/** A key pair for signatures, with its public key as a JSON Web Key. */
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
  /** The hash function of `at_hash`. */
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
 * Creates a key pair. It uses WebCrypto instead of jose, because a hostile issuer needs keys that jose
 * refuses, such as RSA keys of 1024 bits.
 *
 * @param modulusLength Bits of an RSA key
 */
export async function createSigningKey(
  algorithm: Algorithm,
  kid: string = crypto.randomUUID(),
  modulusLength = 2048,
): Promise<SigningKey> {
  const { key } = rows[algorithm]
  const parameters = 'modulusLength' in key ? { ...key, modulusLength } : key
  const pair = await crypto.subtle.generateKey(parameters, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('expected a pair of keys')
  const { privateKey, publicKey } = pair
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: algorithm }
  return { algorithm, kid, privateKey, publicKey, jwk }
}

/** Computes the signature of a JWS signing input. */
export type Sign = (input: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>

/** Returns a function that signs with a private key. */
export function createSigner({ algorithm, privateKey }: SigningKey): Sign {
  return async (input) =>
    new Uint8Array(await crypto.subtle.sign(rows[algorithm].signature, privateKey, input))
}

/** Returns a function that signs with `HS256` and any text as the secret: the attack of RFC 8725 §2.1. */
export function createHmacSigner(secret: string): Sign {
  return async (input) => {
    const parameters = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', bytes(secret), parameters, false, ['sign'])
    return new Uint8Array(await crypto.subtle.sign('HMAC', key, input))
  }
}

/** Exports a public key as the text that a vulnerable verifier takes for a secret. */
export async function exportPublicKey(key: SigningKey, form: 'pem' | 'jwk'): Promise<string> {
  return form === 'pem' ? exportSPKI(key.publicKey) : JSON.stringify(key.jwk)
}

/** Creates a JWS in compact serialization (RFC 7515 §7.1) without any checks. */
export async function createJws(
  header: object,
  payload: string | Uint8Array,
  sign: Sign,
): Promise<string> {
  const encoded = typeof payload === 'string' ? encode(payload) : base64url.encode(payload)
  const input = `${encode(JSON.stringify(header))}.${encoded}`
  return `${input}.${base64url.encode(await sign(bytes(input)))}`
}

/** Returns the `at_hash` of an access token (OpenID Connect Core 1.0 §3.1.3.6). */
export async function getAccessTokenHash(
  algorithm: Algorithm,
  accessToken: string,
): Promise<string> {
  const digest = await crypto.subtle.digest(rows[algorithm].hash, bytes(accessToken))
  return base64url.encode(new Uint8Array(digest.slice(0, digest.byteLength / 2)))
}

/** Returns the challenge of a PKCE verifier (RFC 7636 §4.2). */
export async function toCodeChallenge(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes(verifier))
  return base64url.encode(new Uint8Array(digest))
}

function encode(text: string): string {
  return base64url.encode(bytes(text))
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
