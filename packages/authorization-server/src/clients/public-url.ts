/** Names below which no public host is (RFC 6761, RFC 8375, RFC 9476, and what private networks use). */
const special: ReadonlySet<string> = new Set([
  'alt',
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'test',
])

/** Labels of letters, digits and hyphens, of which the last one begins with a letter: no IP address is such a name. */
const NAME = /^(?:[a-z\d_](?:[a-z\d_-]*[a-z\d])?\.)+[a-z](?:[a-z\d-]*[a-z\d])?$/

/** What the storage can keep as the id of a client. */
const MAX_LENGTH = 255

/**
 * Returns the URL of a client's metadata document: https with a path, without a fragment, user info and dot segments
 * (draft-ietf-oauth-client-id-metadata-document-00 §3), written as parsers write it, at a host with a public name and the default
 * port (§6.5).
 */
export function getPublicUrl(id: string): URL | undefined {
  if (!id.startsWith('https://') || id.length > MAX_LENGTH || id.includes('#')) return undefined
  const url = URL.parse(id)
  // Dot segments, user info, another port and another spelling of the host change what a parser writes.
  if (url?.href !== id || url.pathname === '/' || url.username || url.password || url.port) {
    return undefined
  }
  return isPublicName(url.hostname) ? url : undefined
}

/** Returns whether a host can be a public one by its name. What the name resolves to is checked when it is connected to. */
function isPublicName(host: string): boolean {
  const last = host.slice(host.lastIndexOf('.') + 1)
  return NAME.test(host) && !special.has(last)
}
