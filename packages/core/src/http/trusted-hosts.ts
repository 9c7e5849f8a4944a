import { AuthError, ConfigurationError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { isLoopback } from './base-url.ts'
import type { TrustedHosts } from './base-url.ts'
import { getPublicSuffix } from './public-suffix.ts'
import { isList } from '../lib/members.ts'

/** The option `trustHost`. */
type TrustHost = boolean | readonly string[]

const loopback = ['localhost:*', '127.0.0.1:*', '[::1]:*']

/**
 * Resolves the option `trustHost`. Without it, only loopback is answered, at every port.
 *
 * @throws ConfigurationError `trustHost`
 */
export function resolveTrustedHosts(
  value: TrustHost | undefined,
  log: Pick<Log, 'warn'>,
): TrustedHosts {
  const trusted = parseTrustHost(value)
  if (trusted === true) return trustEveryHost(log)
  const patterns = (trusted === false ? loopback : trusted).map(toPattern)
  const missing =
    trusted === false
      ? 'serviceUrl (SERVICE_URL) is not set for'
      : 'trustHost (AUTH_TRUST_HOST) does not list'
  return {
    isPublic: patterns.some(({ name }) => !isLoopback({ hostname: name })),
    checksLoopback: true,
    check(url) {
      if (patterns.some((pattern) => matches(pattern, url))) return
      throw new AuthError('Configuration', `${missing} ${url.host}`)
    },
  }
}

/**
 * Checks a value of the option `trustHost` of `createAuth`.
 *
 * @param value Hosts such as `example.com`, `*.example.com` and `localhost:*`; or true for every host.
 *   Default: false
 * @returns The value
 *
 * @example
 *   import { parseTrustHost } from '@latchkey/core'
 *
 *   const trustHost = parseTrustHost(['example.com', 'localhost:3000'])
 *
 * @throws ConfigurationError `trustHost` if an entry of the list cannot be used
 */
export function parseTrustHost(value: TrustHost | undefined): TrustHost {
  if (value === undefined || typeof value === 'boolean') return value ?? false
  if (!isList(value) || value.length === 0) {
    throw new ConfigurationError('trustHost', 'must be true, false or a list of hosts')
  }
  for (const [i, entry] of value.entries()) {
    const problem = describeProblem(entry)
    if (problem === undefined) continue
    // The text is not repeated: it may have credentials.
    const text = `[${i}] ${problem} (expected e.g. example.com or *.example.com)`
    throw new ConfigurationError('trustHost', text)
  }
  return value
}

/** Warns once: a client that can send any Host header chooses the URL of the service (I-57). */
function trustEveryHost(log: Pick<Log, 'warn'>): TrustedHosts {
  let hasWarned = false
  return {
    isPublic: true,
    checksLoopback: false,
    check(url) {
      if (hasWarned || isLoopback(url)) return
      hasWarned = true
      log.warn(
        'trustHost is true, so that every host is trusted: list the hosts, or set serviceUrl',
        {
          error: 'Configuration',
          host: url.host,
        },
      )
    },
  }
}

/** An entry of the list. */
interface HostPattern {
  /** Whether one label precedes the name. */
  readonly isWildcard: boolean
  readonly name: string
  /** Digits, or `*` for every port. Undefined is the default port of the scheme. */
  readonly port: string | undefined
}

const entryPattern = /^(\*\.)?(\[[^\]]+\]|[^:*]+)(?::(\*|\d+))?$/

function toPattern(entry: string): HostPattern {
  const [, wildcard, name = '', port] = entryPattern.exec(entry) ?? []
  return { isWildcard: wildcard !== undefined, name, port }
}

function matches({ isWildcard, name, port }: HostPattern, url: URL): boolean {
  const { hostname } = url
  const found = isWildcard ? hostname.replace(/^[^.]+\./, '') : hostname
  if (found !== name) return false
  if (port === undefined || port === '*') return port === '*' || url.port === ''
  return port === (url.port || defaultPorts[url.protocol])
}

const defaultPorts: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

/** Returns what is wrong with an entry of the list; undefined if it can be used. */
function describeProblem(entry: unknown): string | undefined {
  if (typeof entry !== 'string') return 'is not a text'
  if (entry.includes('://')) return 'is a URL'
  if (/[/\\?#@]/.test(entry)) return 'has a path or credentials'
  if (entry === '*') return 'is every host: use trustHost: true'
  if (!entryPattern.test(entry)) {
    return entry.includes('*') ? 'has * other than as its first label or port' : 'is not a host'
  }
  const { isWildcard, name, port = '443' } = toPattern(entry)
  if (port !== '*' && !isPort(port)) return 'must have a port of 1 to 65535'
  if (isWildcard && /(^|\.)\d+$|^\[/.test(name)) return 'is a wildcard of IP addresses'
  if (!isHost(name)) return 'is not a host as URLs spell it'
  if (isWildcard && getPublicSuffix(name) === name) {
    return 'is a wildcard below a public suffix'
  }
  return undefined
}

function isPort(port: string): boolean {
  return String(Number(port)) === port && Number(port) >= 1 && Number(port) <= 65_535
}

/** Only the spelling of `URL` can match a request. A dot at the end would make another host. */
function isHost(name: string): boolean {
  return URL.parse(`https://${name}`)?.hostname === name && !/^\.|\.\.|\.$/.test(name)
}
