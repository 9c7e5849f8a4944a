import { base64url } from 'jose'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text)
}

/**
 * The text of UTF-8 bytes.
 *
 * @throws TypeError where they are not UTF-8
 */
export function fromUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** Base64url without padding (RFC 4648 §5). */
export function base64urlOf(bytes: Uint8Array | ArrayBuffer): string {
  return base64url.encode(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes))
}

/** Base64url of the SHA-256 of a text. */
export async function sha256(text: string): Promise<string> {
  return base64urlOf(await crypto.subtle.digest('SHA-256', utf8(text)))
}

/** Compares two texts in a time that does not depend on where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
