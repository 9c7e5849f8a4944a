import { lazyPattern } from '../lib/lazy-pattern.ts'

/** Characters of an email address (RFC 5321 §4.5.3.1.3, without the angle brackets). */
const MAX_LENGTH = 254
/** Characters of its local part (RFC 5321 §4.5.3.1.1). */
const MAX_LOCAL = 64

/**
 * An atom (RFC 5322 §3.2.3) without `%` and `!`, with which old servers route email, and without
 * non-ASCII letters, which few servers support and which can look alike.
 */
const atom = "[a-z0-9#$&'*+/=?^_`{|}~-]+"
const local = new RegExp(`^${atom}(?:\\.${atom})*$`)
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** At least two labels, of which the last begins with a letter: not an IP address. */
const domain = new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`)

const international = lazyPattern(String.raw`^[\p{L}\p{M}\p{N}.-]+$`, 'u')

/**
 * Parses one email address: NFKC, one `@`, no quotes, comments, lists or control characters.
 *
 * @returns The email address in lower case, its domain in ASCII (RFC 5890 §2.3.2.1); undefined if the
 *   text is not an email address
 */
export function parseEmailAddress(text: string): string | undefined {
  if (text.length > 2 * MAX_LENGTH) return undefined
  const parts = text.normalize('NFKC').toLowerCase().split('@')
  const [name = '', host = ''] = parts
  if (parts.length !== 2 || name.length > MAX_LOCAL || !local.test(name)) return undefined
  const ascii = toAsciiDomain(host, domain)
  if (ascii === undefined) return undefined
  const address = `${name}@${ascii}`
  return address.length <= MAX_LENGTH ? address : undefined
}

/**
 * Returns the mailbox of a parsed email address: without the `+tag` that many servers ignore (RFC 5233
 * §1), and without the dots that Gmail ignores, so that the variants of one mailbox are limited
 * together. It is for counting only: two email addresses of one mailbox are still two identities.
 */
export function getMailbox(address: string): string {
  const [name = '', host = ''] = address.split('@')
  const untagged = name.split('+')[0] || name
  if (host !== 'gmail.com' && host !== 'googlemail.com') return `${untagged}@${host}`
  return `${untagged.replaceAll('.', '')}@gmail.com`
}

/**
 * Converts a domain to the ASCII form that DNS uses; `URL` implements RFC 5891.
 *
 * @param pattern Matches the domains that are accepted, in ASCII
 * @returns The domain in ASCII; undefined if it is not accepted
 */
export function toAsciiDomain(host: string, pattern: RegExp): string | undefined {
  if (pattern.test(host) && !host.includes('xn--')) return host
  // Excludes every character that `URL` would interpret, decode or remove.
  if (!international().test(host)) return undefined
  const ascii = URL.parse(`http://${host}`)?.hostname
  return ascii !== undefined && pattern.test(ascii) ? ascii : undefined
}
