import { decodeCbor, isCborMap } from './cbor.ts'
import type { CborMap } from './cbor.ts'
import { malformed, refused } from './errors.ts'

/** A COSE algorithm: ES256 is -7, EdDSA with Ed25519 is -8, RS256 is -257 (RFC 9053 §2, RFC 8812 §2). */
export type Algorithm = -7 | -8 | -257

/** A COSE key (RFC 9052 §7). Numbers are big-endian. */
export type CoseKey =
  | { readonly algorithm: -7; readonly x: Bytes; readonly y: Bytes }
  | { readonly algorithm: -8; readonly x: Bytes }
  | { readonly algorithm: -257; readonly n: Bytes; readonly e: Bytes }

type Bytes = Uint8Array<ArrayBuffer>

/** Labels of the parameters (RFC 9052 §7.1, RFC 9053 §7.1 and §7.2, RFC 8230 §4). */
const KTY = 1
const ALG = 3
const CRV = -1
const X = -2
const Y = -3
const N = -1
const E = -2

/** Values of `kty` and `crv` (RFC 9053 §7, RFC 8230 §4). */
const OKP = 1
const EC2 = 2
const RSA = 3
const P256 = 1
const ED25519 = 6

/**
 * Parses a credential public key (WebAuthn §6.5.1): it has the required parameters and no others.
 *
 * @throws PasskeyError `refused` if the algorithm is not supported or an RSA key is too weak or too large, `malformed` for other
 *   bytes
 */
export function parseCoseKey(bytes: Bytes): CoseKey {
  const key = decodeCbor(bytes)
  if (!isCborMap(key)) throw malformed('the public key is not a CBOR map')
  const algorithm = key.get(ALG)
  if (algorithm === -7) {
    checkParameters(key, { size: 5, kty: EC2, crv: P256 })
    return { algorithm, x: readBytes(key, X, 32), y: readBytes(key, Y, 32) }
  }
  if (algorithm === -8) {
    checkParameters(key, { size: 4, kty: OKP, crv: ED25519 })
    return { algorithm, x: readBytes(key, X, 32) }
  }
  if (algorithm === -257) {
    checkParameters(key, { size: 4, kty: RSA })
    const [n, e] = [readBytes(key, N), readBytes(key, E)]
    checkRsaKey(n, e)
    return { algorithm, n, e }
  }
  if (typeof algorithm !== 'number') throw malformed('the public key has no algorithm')
  throw refused('the algorithm of the public key is not supported')
}

/** Checks the key type, the curve (WebAuthn §5.8.5), and that there are no other parameters. */
function checkParameters(
  key: CborMap,
  { size, kty, crv }: { readonly size: number; readonly kty: number; readonly crv?: number },
): void {
  if (key.get(KTY) !== kty) throw malformed('the public key has another type than its algorithm')
  if (crv !== undefined && key.get(CRV) !== crv) {
    throw malformed('the public key has another curve than its algorithm')
  }
  if (key.size !== size) throw malformed('the public key has other parameters')
}

/** @param length Bytes; any length if it is undefined */
function readBytes(key: CborMap, label: number, length?: number): Bytes {
  const value = key.get(label)
  if (!(value instanceof Uint8Array) || value.byteLength !== (length ?? value.byteLength)) {
    throw malformed('the public key has a parameter of another type or length')
  }
  return value
}

/** Checks the size of an RSA key: 2,048 to 4,096 bits, and an odd exponent from 65,537 to 2³² - 1. */
function checkRsaKey(n: Bytes, e: Bytes): void {
  // RFC 8230 §4: without leading zeros.
  if (n[0] === 0 || e[0] === 0) throw malformed('the public key has a number with leading zeros')
  const [first = 0] = n
  const bits = n.byteLength * 8 - Math.clz32(first) + 24
  if (bits < 2048 || bits > 4096) throw refused('the RSA key has not 2048 to 4096 bits')
  const exponent = e.byteLength > 4 ? 0 : e.reduce((sum, byte) => sum * 256 + byte, 0)
  if (exponent < 65_537 || exponent % 2 === 0) throw refused('the RSA key has another exponent')
}
