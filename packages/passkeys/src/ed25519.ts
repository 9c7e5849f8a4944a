import { toHex } from './bytes.ts'

/** The y coordinates of the eight points of small order, and the two encodings of them that are not canonical. */
const smallOrder: ReadonlySet<string> = new Set([
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '00'.repeat(32),
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
])

/**
 * Returns whether a public key of Ed25519 (RFC 8032 §5.1) has the order 1, 2, 4 or 8: then one signature is valid for many
 * messages, and not every implementation of WebCrypto refuses it.
 *
 * @param x The 32 bytes of the encoded point
 */
export function hasSmallOrder(x: Uint8Array): boolean {
  // The sign of the other coordinate, the highest bit, is not compared.
  return smallOrder.has(toHex(x.map((byte, i) => (i === 31 ? byte & 0x7f : byte))))
}
