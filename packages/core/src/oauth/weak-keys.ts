import { fromBase64url } from '../crypto/encoding.ts'

/** Bits of an RSA modulus (RFC 7518 §3.3). */
const MIN_BITS = 2048

/**
 * Returns whether a public key is an RSA key whose signatures others can make: a short modulus, an
 * exponent of 1 or an even one, or a modulus of the library with the ROCA vulnerability (CVE-2017-15361).
 */
export function isWeakKey({ kty, n, e }: JsonWebKey): boolean {
  if (kty !== 'RSA') return false
  const [modulus, exponent] = [toInteger(n), toInteger(e)]
  if (exponent < 3n || exponent % 2n === 0n) return true
  return modulus.toString(2).length < MIN_BITS || hasRocaFingerprint(modulus)
}

/** Decodes `Base64urlUInt` (RFC 7518 §2); 0 if it is malformed. */
function toInteger(value: unknown): bigint {
  try {
    const bytes = fromBase64url(String(value))
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    return BigInt(`0x${hex}`)
  } catch {
    return 0n
  }
}

// prettier-ignore
const primes = [
  11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157,
]

/** Such a modulus is a power of 65537 modulo each of these primes; others are with a chance of 2^-27. */
function hasRocaFingerprint(modulus: bigint): boolean {
  return primes.every((prime) => isPowerOf65537(Number(modulus % BigInt(prime)), prime))
}

function isPowerOf65537(residue: number, prime: number): boolean {
  let power = 1
  for (let i = 0; i < prime; i++) {
    if (power === residue) return true
    power = (power * 65537) % prime
  }
  return false
}
