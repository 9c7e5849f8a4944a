/** Bytes of each of the two integers of a P-256 signature. */
const INTEGER_BYTES = 32

/**
 * Converts an ECDSA signature of P-256 from DER, which authenticators send (WebAuthn §6.5.5), to the 64 bytes of r and s that
 * WebCrypto verifies: `SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3) in its only encoding (X.690 §10.1, §8.3.2).
 *
 * @returns Undefined if the bytes are not DER, or a number is negative or has more than 256 bits
 */
export function fromDerSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const [tag, length] = der
  // Two integers of 33 bytes have 70 bytes: the length is always one byte.
  if (tag !== 0x30 || length !== der.byteLength - 2) return undefined
  const r = readInteger(der, 2)
  const s = r && readInteger(der, r.end)
  if (!s || s.end !== der.byteLength) return undefined
  const raw = new Uint8Array(2 * INTEGER_BYTES)
  raw.set(r.bytes, INTEGER_BYTES - r.bytes.byteLength)
  raw.set(s.bytes, raw.byteLength - s.bytes.byteLength)
  return raw
}

/** Reads a positive INTEGER: without leading zeros, except one before a byte whose first bit is set. */
function readInteger(
  der: Uint8Array,
  offset: number,
): { readonly bytes: Uint8Array; readonly end: number } | undefined {
  const [tag, length = 0] = der.subarray(offset)
  const end = offset + 2 + length
  // An integer beyond the end has no integer after it, or does not end where the signature ends.
  if (tag !== 0x02 || length < 1) return undefined
  const content = der.subarray(offset + 2, end)
  const [first = 0, second = 0] = content
  const hasZero = first === 0 && length > 1
  if (first >= 0x80 || (hasZero && second < 0x80)) return undefined
  const bytes = hasZero ? content.subarray(1) : content
  return bytes.byteLength <= INTEGER_BYTES ? { bytes, end } : undefined
}
