import { lazyPattern } from '../lib/lazy-pattern.ts'
import type { Identity } from '../ports/records.ts'

const MAX_TEXT = 255
const MAX_URL = 2048
const MAX_EMAIL = 254

/** Control characters, halves of characters, and marks that turn the direction of writing. */
// oxlint-disable-next-line no-control-regex
const invisible = /[\0-\u001f\u007f-\u009f\ud800-\udfff\u202a-\u202e\u2066-\u2069]/gu

/**
 * A part of exactly one email address. White space and the special characters of RFC 5322 §3.2.3 could
 * make several of it, and invisible characters make two look alike.
 */
const part = String.raw`[^@\s,;:<>()[\]\\"\p{Cc}\p{Cf}\p{Cs}]+`
const oneAddress = lazyPattern(`^${part}@${part}$`, 'u')

/**
 * Copies the fields of a profile one by one. Fields that `profile()` added are copied unchanged.
 *
 * @returns The profile; its `emailVerified` is whether the email address is proven
 */
export function copyProfile({
  profile,
  emailProven = false,
}: Pick<Identity, 'profile' | 'emailProven'>): CopiedProfile {
  // JSON can have a member `__proto__`: Object.assign would make it the prototype of a copy.
  const { name, email, emailVerified: _, image, ['__proto__']: __, ...added } = profile
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

/** An email address that is too long is dropped, because a part of it could be another user's. */
function copyEmail(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_EMAIL || !oneAddress().test(value))
    return null
  // A character that NFKC replaces could become a part of another, unproven email address.
  return value.normalize('NFKC') === value ? toLowerCaseAscii(value) : null
}

/**
 * Returns a text with its ASCII letters in lower case. Other letters stay, because some have an ASCII
 * letter as their lower case: U+212A, the Kelvin sign, has `k`.
 */
export function toLowerCaseAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function copyImage(value: unknown): string | null {
  const url = typeof value === 'string' && value.length <= MAX_URL ? URL.parse(value) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return null
  return url.href.length <= MAX_URL ? url.href : null
}
