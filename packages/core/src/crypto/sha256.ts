import { platform } from '#crypto'
import type { Awaitable } from '../ports/awaitable.ts'

/** Returns the SHA-256 digest of a text, in base64url. */
export function sha256(text: string): Awaitable<string> {
  return platform.hash(text)
}
