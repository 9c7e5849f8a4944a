/** Characters of a redirect URI: states, codes and other parameters are added. */
const MAX_LENGTH = 1000
/** Hosts that the pages show, and that a directive of a policy can hold. */
const HOST = /^(?:\[[\da-f:.]+\]|[a-z\d.-]+)$/
/** A private-use scheme is a domain in reverse order, so it has a dot (RFC 8252 §7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/
/** Hosts on the user's own device: TLS does not say which program on it answers. */
const DEVICE = /^(?:(?:[a-z\d-]+\.)*localhost\.?|127(?:\.\d+){3}\.?|\[::1\])$/
/** The URIs of clients in use that have another scheme: as text, because schemes without a dot include those that browsers run. */
const knownUris: readonly string[] = ['cursor://anysphere.cursor-mcp/oauth/callback']
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/

/** What a redirect URI leads to: a site, a server on the user's own device, or an application there. */
export type RedirectKind = 'https' | 'loopback' | 'private'

/** Returns what a redirect URI leads to; undefined if no client may have it (RFC 9700 §2.1, RFC 8252 §7). */
export function getRedirectKind(uri: string): RedirectKind | undefined {
  if (uri.length > MAX_LENGTH || !/^[!-~]+$/.test(uri) || /[#\\]/.test(uri)) return undefined
  const url = URL.parse(uri)
  if (!url || url.username || url.password || uri.split(/[/?]/, 3).join('/').includes('@')) {
    return undefined
  }
  if (url.protocol === 'https:') return getHttpsKind(uri, url)
  if (url.protocol === 'http:') return LOOPBACK.test(uri) ? 'loopback' : undefined
  return isPrivate(uri, url) ? 'private' : undefined
}

function isPrivate(uri: string, { protocol }: URL): boolean {
  return PRIVATE_SCHEME.test(protocol) || knownUris.includes(uri)
}

function getHttpsKind(uri: string, { hostname }: URL): RedirectKind | undefined {
  // Without an authority, a browser takes `https:host/path` in a redirect for a path of the service (URL Standard §4.4).
  if (!/^https:\/\/[^/]/i.test(uri) || !HOST.test(hostname)) return undefined
  return DEVICE.test(hostname) ? 'loopback' : 'https'
}

/**
 * Returns whether a redirect URI is the registered one: as text (RFC 9700 §2.1). Only the port of loopback may differ, which a
 * native application learns when it begins to listen (RFC 8252 §7.3).
 */
export function isRegisteredUri(registered: string, given: string): boolean {
  if (registered === given) return true
  const [, origin, rest] = LOOPBACK.exec(registered) ?? []
  const [, givenOrigin, givenRest] = LOOPBACK.exec(given) ?? []
  return origin !== undefined && origin === givenOrigin && rest === givenRest && URL.canParse(given)
}

/** Returns the host that a redirect URI leads to, or the scheme of a private one: with its colon, because anyone can take `claude.ai:`. */
export function getShownHost(uri: string): string {
  const { protocol, host } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/** Returns a redirect URI with further parameters. What it has stays as it is (RFC 6749 §4.1.2). */
export function addParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, value)
  }
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}
