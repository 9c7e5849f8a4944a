import type { Identity } from '../ports/records.ts'

const MAX_TEXT = 255
const MAX_URL = 2048
const MAX_EMAIL = 254

/** Control characters, halves of characters, and marks that turn the direction of writing. */
const invisible = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu

/** Neither white space nor control characters: an address must not grow into a header of a mail. */
// oxlint-disable-next-line no-control-regex
const oneWord = /^[^\s\u0000-\u001f\u007f-\u009f]+$/

/**
 * Copies the fields of a profile one by one (I-40), and those that `profile()` added, as they are.
 *
 * @returns The profile; its `emailVerified` is whether the email address is proven (I-38)
 */
export function copyProfile({ profile, emailProven = false }: Identity): CopiedProfile {
  const { name, email, emailVerified: _, image, ...added } = profile
  const address = copyEmail(email)
  return {
    ...added,
    name: copyText(name),
    email: address,
    emailVerified: address !== null && emailProven === true,
    image: copyImage(image),
  }
}

/** A profile whose fields can be shown and kept. */
interface CopiedProfile {
  readonly [field: string]: unknown
  readonly name: string | null
  readonly email: string | null
  readonly emailVerified: boolean
  readonly image: string | null
}

function copyText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value.replaceAll(invisible, '')
  return Array.from(text).slice(0, MAX_TEXT).join('') || null
}

/** An address that is too long is no address: half of one would be somebody else's. */
function copyEmail(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_EMAIL || !oneWord.test(value)) return null
  // Letters beyond ASCII stay: lower case could make another, unproven address of them.
  return value.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function copyImage(value: unknown): string | null {
  const url = typeof value === 'string' && value.length <= MAX_URL ? URL.parse(value) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return null
  return url.href.length <= MAX_URL ? url.href : null
}
