import type { Algorithm } from '../../src/cose-key.ts'
import { encodeCbor } from './encode-cbor.ts'
import type { Encodable } from './encode-cbor.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A credential key pair, as an authenticator has it. */
export interface KeyPair {
  readonly algorithm: Algorithm
  /** The parameters of the COSE key. */
  readonly parameters: ReadonlyMap<number, Encodable>
  readonly sign: (message: Bytes) => Promise<Bytes>
}

/** Creates a key pair. */
export async function createKeyPair(algorithm: Algorithm, bits: number = 2048): Promise<KeyPair> {
  switch (algorithm) {
    case -7:
      return createEs256()
    case -8:
      return createEd25519()
    case -257:
      return createRs256(bits)
  }
}

/** Encodes a COSE key. */
export function toCoseKey({ parameters }: Pick<KeyPair, 'parameters'>): Bytes {
  return encodeCbor(parameters)
}

/** Encodes r and s as DER (RFC 3279 §2.2.3). */
export function toDerSignature(raw: Uint8Array): Bytes {
  const integers = [raw.subarray(0, 32), raw.subarray(32)].flatMap((half) => [...toInteger(half)])
  return Uint8Array.of(0x30, integers.length, ...integers)
}

function toInteger(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0)
  const digits = start < 0 ? Uint8Array.of(0) : bytes.subarray(start)
  const content = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : [...digits]
  return Uint8Array.of(2, content.length, ...content)
}

async function createEs256(): Promise<KeyPair> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, ['sign'])
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey))
  return {
    algorithm: -7,
    parameters: new Map<number, Encodable>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, point.slice(1, 33)],
      [-3, point.slice(33)],
    ]),
    sign: async (message) =>
      toDerSignature(new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, message))),
  }
}

async function createEd25519(): Promise<KeyPair> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', true, ['sign'])
  const x = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey))
  return {
    algorithm: -8,
    parameters: new Map<number, Encodable>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, x],
    ]),
    sign: async (message) =>
      new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, message)),
  }
}

async function createRs256(modulusLength: number): Promise<KeyPair> {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength,
    publicExponent: Uint8Array.of(1, 0, 1),
  }
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, ['sign'])
  const { n = '', e = '' } = await crypto.subtle.exportKey('jwk', publicKey)
  return {
    algorithm: -257,
    parameters: new Map<number, Encodable>([
      [1, 3],
      [3, -257],
      [-1, new Uint8Array(Buffer.from(n, 'base64url'))],
      [-2, new Uint8Array(Buffer.from(e, 'base64url'))],
    ]),
    sign: async (message) =>
      new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, message)),
  }
}
