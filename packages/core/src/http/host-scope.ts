/**
 * Where the host of a URL is: on the Internet, in a private network, on this machine, or at an IP address
 * that no provider's server has (unspecified, link-local, multicast).
 */
export type HostScope = 'public' | 'private' | 'loopback' | 'reserved'

interface ScopeRow {
  readonly scope: HostScope
  /** Matches IPv4 addresses (RFC 6890 §2.2.2). */
  readonly ipv4: RegExp
  /** Matches names (RFC 6761 §6.3, RFC 6762 §3, RFC 8375) and IPv6 addresses (RFC 6890 §2.2.3). */
  readonly host: RegExp
}

// prettier-ignore
const rows: readonly ScopeRow[] = [
  {
    scope: 'loopback',
    ipv4: /^127\./,
    host: /^\[::1\]$|^(?:.+\.)?localhost\.?$/,
  },
  {
    scope: 'reserved',
    ipv4: /^(?:0|169\.254|22[4-9]|2[3-5]\d)\./,
    host: /^\[(?:::\]|fe[89ab]|ff)/,
  },
  {
    scope: 'private',
    ipv4: /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./,
    // A name without a dot is known to local resolvers only.
    host: /^\[f(?:[cd]|e[c-f])|(?:^[^.[]*|\.(?:local|internal|home\.arpa))\.?$/,
  },
]

/** Returns the scope of a URL's host, in any spelling that `URL` normalises. */
export function getHostScope({ hostname }: URL): HostScope {
  const address = toIpv4(hostname)
  const row = rows.find(({ ipv4, host }) => host.test(hostname) || ipv4.test(address))
  return row?.scope ?? 'public'
}

/**
 * Returns the IPv4 address of a hostname, or the beginning of the one in an IPv6 address that is
 * IPv4-mapped or IPv4-compatible (RFC 4291 §2.5.5), of NAT64 (RFC 6052 §2.1) or 6to4 (RFC 3056 §2);
 * empty if there is none.
 */
function toIpv4(hostname: string): string {
  if (/^[\d.]+$/.test(hostname)) return hostname
  const [, group] = /^\[(?:::(?:ffff:)?|64:ff9b::|2002:)([\da-f]+)/.exec(hostname) ?? []
  if (group === undefined) return ''
  const bytes = Number.parseInt(group, 16)
  return `${bytes >> 8}.${bytes & 255}.`
}
