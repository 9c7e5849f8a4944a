/**
 * Returns the bytes of a password that are hashed: UTF-8 after NFC. Undefined for an empty password, one with a lone surrogate,
 * because all have the same UTF-8, or with NUL: HMAC (RFC 2104 §2) appends NUL to short keys, so that scrypt ignores
 * NUL at the end.
 */
export function toPasswordBytes(password: string): Uint8Array<ArrayBuffer> | undefined {
  return isHashable(password) ? toUtf8(password.normalize('NFC')) : undefined
}

/** Returns whether a password has neither NUL nor lone surrogates, and is not empty. */
export function isHashable(password: string): boolean {
  return password !== '' && !/[\0\ud800-\udfff]/u.test(password)
}

export function toUtf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/** Compares two arrays, in a time that depends on their lengths only. */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.byteLength !== b.byteLength) return false
  let difference = 0
  for (let i = 0; i < a.byteLength; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0)
  return difference === 0
}

/** Encodes bytes in base64 (RFC 4648 §4) without padding. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/=+$/, '')
}

/** Decodes base64 without padding; undefined if it is not the canonical encoding of the bytes. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*$/.test(text) || text.length % 4 === 1) return undefined
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return toBase64(bytes) === text ? bytes : undefined
}

/** Decodes base64 or base64url, with or without padding; undefined if it is another text or not canonical. */
export function fromPaddedBase64(text: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== 'string') return undefined
  const bare = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text
  return fromBase64(bare.replaceAll('-', '+').replaceAll('_', '/'))
}

export function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(a.byteLength + b.byteLength)
  bytes.set(a)
  bytes.set(b, a.byteLength)
  return bytes
}
