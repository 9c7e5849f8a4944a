/**
 * Where the host of a URL is: `public`; `private`, in a network of its own; `loopback`, this machine; or
 * `reserved`, which no server of a provider has: unspecified, link-local, multicast.
 */
export type HostScope = 'public' | 'private' | 'loopback' | 'reserved'

/** Returns the scope of a URL's host, in any spelling that `URL` normalises. */
export function getHostScope({ hostname }: URL): HostScope {
  const v6 = parseIpv6(hostname)
  if (v6) return getIpv6Scope(v6)
  const v4 = parseIpv4(hostname)
  return v4 ? getIpv4Scope(v4) : getNameScope(hostname.replace(/\.$/, ''))
}

/** RFC 6761 §6.3, RFC 6762 §3, RFC 8375, and names without a dot, which only local resolvers know. */
function getNameScope(name: string): HostScope {
  if (/^(?:.+\.)?localhost$/.test(name)) return 'loopback'
  return /\.(?:local|internal|home\.arpa)$|^[^.]*$/.test(name) ? 'private' : 'public'
}

/** RFC 6890 §2.2.2 */
function getIpv4Scope([a = 0, b = 0]: readonly number[]): HostScope {
  if (a === 127) return 'loopback'
  if (a === 0 || (a === 169 && b === 254) || a >= 224) return 'reserved'
  const isShared = a === 100 && b >= 64 && b < 128
  const isPrivate = a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)
  return isPrivate || isShared ? 'private' : 'public'
}

/**
 * Prefixes after which an IPv6 address has an IPv4 address, whose scope is its own: IPv4-mapped and
 * IPv4-compatible (RFC 4291 §2.5.5), NAT64 (RFC 6052 §2.1), 6to4 (RFC 3056 §2).
 */
const embeddings: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0, 0],
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0x2002],
]

/** RFC 6890 §2.2.3 */
function getIpv6Scope(groups: readonly number[]): HostScope {
  if (groups.join(':') === '0:0:0:0:0:0:0:1') return 'loopback'
  const prefix = embeddings.find((each) => each.every((group, index) => group === groups[index]))
  if (prefix) return getIpv4Scope(toBytes(groups.slice(prefix.length, prefix.length + 2)))
  const [first = 0] = groups
  if (first >= 0xff00 || (first & 0xffc0) === 0xfe80) return 'reserved'
  return (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfec0 ? 'private' : 'public'
}

function toBytes(groups: readonly number[]): readonly number[] {
  return groups.flatMap((group) => [group >> 8, group & 0xff])
}

function parseIpv4(hostname: string): readonly number[] | undefined {
  return /^\d+(?:\.\d+){3}$/.test(hostname) ? hostname.split('.').map(Number) : undefined
}

/** Parses the brackets of a hostname, which `URL` serialises in hexadecimal groups. */
function parseIpv6(hostname: string): readonly number[] | undefined {
  const [, address] = /^\[(.*)\]$/.exec(hostname) ?? []
  if (address === undefined) return undefined
  const [left = [], right = []] = address
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0)
  return [...left, ...zeros, ...right]
}
