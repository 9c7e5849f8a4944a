import { fromBase64url } from './bytes.ts'
import { malformed } from './errors.ts'

/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>

/**
 * Returns the members of a JSON object.
 *
 * @param name What it is, for the message
 * @throws PasskeyError `malformed` if the value is not an object
 */
export function toMembers(name: string, value: unknown): Members {
  if (!isObject(value) || Array.isArray(value)) throw malformed(`${name} is not an object`)
  return value
}

/** @throws PasskeyError `malformed` if the member is not a text */
export function readText(members: Members, name: string): string {
  const value = members[name]
  if (typeof value !== 'string') throw malformed(`${name} is not a text`)
  return value
}

/**
 * Decodes a member in base64url without padding.
 *
 * @param limit Bytes
 * @throws PasskeyError `malformed` if it is not base64url, empty, or longer
 */
export function readBytes(members: Members, name: string, limit: number): Uint8Array<ArrayBuffer> {
  const text = readText(members, name)
  // Four characters are three bytes: what is too long is not decoded.
  const bytes = text.length > Math.ceil((limit * 4) / 3) ? undefined : fromBase64url(text)
  if (!bytes || bytes.byteLength === 0) {
    throw malformed(`${name} is not base64url of 1 to ${limit} bytes without padding`)
  }
  return bytes
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}
