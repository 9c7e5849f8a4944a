import { sha256 as digest } from '@noble/hashes/sha2.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The UTF-8 bytes of a text. */
export function toUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text)
}

/**
 * The text of UTF-8 bytes.
 *
 * @throws TypeError where they are not UTF-8
 */
export function fromUtf8(bytes: Uint8Array | ArrayBuffer): string {
  return decoder.decode(bytes)
}

/** Base64 (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Base64url without padding (RFC 4648 §5). */
export function toBase64url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * The bytes of base64url.
 *
 * @throws DOMException where it is none
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** The SHA-256 of a text: at once, where WebCrypto's takes tens of microseconds on Node. */
export function sha256(text: string): Uint8Array {
  return digest(toUtf8(text))
}

/** Compares two texts in a time that does not depend on where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
