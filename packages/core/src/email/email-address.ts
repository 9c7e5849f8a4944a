/** Characters of an address (RFC 5321 §4.5.3.1.3, less the angle brackets). */
const MAX_LENGTH = 254
const MAX_LOCAL = 64

/**
 * An atom of RFC 5322 §3.2.3 without `%` and `!`, by which old servers pass mail on elsewhere.
 * Letters beyond ASCII are left out: few servers take them, and many letters look alike.
 */
const atom = "[a-z0-9#$&'*+/=?^_`{|}~-]+"
const local = new RegExp(`^${atom}(?:\\.${atom})*$`)
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** At least two labels, and the last one begins with a letter: not an address of the network. */
const domain = new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`)

/**
 * Reads one e-mail address (I-29): NFKC, one `@`, no quotes, comments, lists or control characters.
 *
 * @returns The address in lower case, its domain in ASCII (RFC 5890 §2.3.2.1); undefined where the
 *   text is none
 */
export function parseAddress(text: string): string | undefined {
  if (text.length > 2 * MAX_LENGTH) return undefined
  const parts = text.normalize('NFKC').toLowerCase().split('@')
  const [name = '', host = ''] = parts
  if (parts.length !== 2 || name.length > MAX_LOCAL || !local.test(name)) return undefined
  const ascii = asciiDomain(host)
  if (ascii === undefined) return undefined
  const address = `${name}@${ascii}`
  return address.length <= MAX_LENGTH ? address : undefined
}

/** The domain as DNS knows it; `URL` does what RFC 5891 asks for. */
function asciiDomain(host: string): string | undefined {
  if (domain.test(host) && !host.includes('xn--')) return host
  // What `URL` would cut off, decode or skip is no part of a domain.
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(host)) return undefined
  const ascii = URL.parse(`http://${host}`)?.hostname
  return ascii !== undefined && domain.test(ascii) ? ascii : undefined
}
