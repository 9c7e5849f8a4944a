/** The alphabet of RFC 4648 §6: authenticator apps take a key in it. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes bytes in an alphabet of 32 characters (RFC 4648 §6), without padding. Default: the alphabet of the RFC */
export function toBase32(bytes: Uint8Array, alphabet: string = ALPHABET): string {
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet.charAt((buffer >> (bits - 5)) & 31)
    buffer &= 31
  }
  return bits > 0 ? text + alphabet.charAt((buffer << (5 - bits)) & 31) : text
}

/**
 * Decodes what {@link toBase32} returns.
 *
 * @throws Error if the text has another character; it does not contain the text
 */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8))
  let buffer = 0
  let bits = 0
  let length = 0
  for (const character of text) {
    const value = ALPHABET.indexOf(character)
    if (value < 0) throw new Error('expected base32')
    buffer = (buffer << 5) | value
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = buffer >> bits
    buffer &= (1 << bits) - 1
  }
  return bytes
}
