import type { CookieSpecs } from './cookies.ts'
import { AuthError, ConfigurationError } from '../lib/errors.ts'
import { kindError } from '../lib/kind.ts'
import { readText } from '../lib/members.ts'

/** The URL of the service, as one request sees it, and the cookies that go with it. */
export interface BaseUrl {
  /** `https://auth.example.com` */
  readonly origin: string
  /** The URL that every route is relative to: origin and base path, without a trailing slash. */
  readonly href: string
  readonly cookies: CookieSpecs
}

/** Returns the callback URL of a provider: its `redirect_uri`. */
export function getCallbackUrl({ href }: BaseUrl, { id }: { readonly id: string }): string {
  return `${href}/callback/${id}`
}

/** The option `serviceUrl`, parsed. */
export interface ServiceUrl {
  /** Undefined if the option is not set. */
  readonly origin: string | undefined
  readonly basePath: string
}

/** The hosts of requests that are answered if `serviceUrl` is not set (I-2, I-57). */
export interface TrustedHosts {
  /** Whether any of the hosts is not loopback. */
  readonly isPublic: boolean
  /** Whether a request to loopback must also have a Host header of loopback. */
  readonly checksLoopback: boolean
  /** @throws AuthError `Configuration` if requests to this host are not answered */
  readonly check: (url: URL) => void
}

/** The options of {@link createGetBaseUrl}. */
export interface BaseUrlOptions {
  readonly serviceUrl: ServiceUrl
  readonly trustedHosts: TrustedHosts
  readonly allowInsecure: boolean
  readonly cookieSpecs: (secure: boolean) => CookieSpecs
}

const DEFAULT_PATH = '/api/auth'

/**
 * Parses the option `serviceUrl`.
 *
 * @param allowInsecure Whether plain http is allowed on other hosts than loopback. Default: false
 *
 * @example
 *   import { parseServiceUrl } from '@latchkey/core'
 *
 *   const { origin, basePath } = parseServiceUrl('https://example.com') // basePath is /api/auth
 *
 * @throws ConfigurationError `serviceUrl` if it is not an http(s) URL, is insecure, or has a query, a
 *   fragment or credentials
 */
export function parseServiceUrl(
  value: string | URL | undefined,
  allowInsecure: boolean = false,
): ServiceUrl {
  if (value === undefined) return { origin: undefined, basePath: DEFAULT_PATH }
  // A URL of another realm, such as a test environment's, is not an instance of this one's class.
  if (typeof value !== 'string' && readText(value, 'href') === undefined) {
    throw kindError('serviceUrl', 'an http(s) URL', value)
  }
  const url = parseUrl(String(value))
  if (url.search || url.hash || /[?#]$/.test(String(value))) {
    throw serviceUrlError('must have neither a query nor a fragment')
  }
  if (url.username || url.password) throw serviceUrlError('must not contain credentials')
  if (!isSecureUrl(url) && !allowInsecure) {
    throw serviceUrlError(
      'must be https: plain http is for loopback only, unless allowInsecure is set',
    )
  }
  const path = url.pathname.replace(/\/+$/, '')
  return { origin: url.origin, basePath: path || DEFAULT_PATH }
}

/** The members of a request that its base URL depends on. */
export type LocatedRequest = Pick<Request, 'url' | 'headers'>

/**
 * Creates the function that returns the base URL of a request: the configured one, or the request's
 * own origin if `trustHost` allows its host (I-2, I-57). Plain http is for loopback only, unless
 * `allowInsecure` is set (I-4).
 */
export function createGetBaseUrl(options: BaseUrlOptions): (request: LocatedRequest) => BaseUrl {
  const { origin } = options.serviceUrl
  if (origin === undefined) return createGetTrusted(options)
  const baseUrl = toBaseUrl(options, origin)
  return () => baseUrl
}

/** Returns whether the host is localhost, 127.0.0.1 or [::1]. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** Returns whether a URL is https, or http on loopback. */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === 'https:' || isLocalUrl(url)
}

/** Returns whether a URL is http on loopback, as while an application is developed. */
export function isLocalUrl(url: URL): boolean {
  return url.protocol === 'http:' && isLoopback(url)
}

/** Returns the origin of `Request.url` without parsing the rest. */
function getOrigin(requestUrl: string): string {
  const end = requestUrl.indexOf('/', requestUrl.indexOf('://') + 3)
  return end === -1 ? requestUrl : requestUrl.slice(0, end)
}

function createGetTrusted(options: BaseUrlOptions): (request: LocatedRequest) => BaseUrl {
  const { checksLoopback } = options.trustedHosts
  const getByUrl = cacheLast((origin) => toTrusted(options, new URL(origin)))
  return ({ url, headers }) => {
    const { baseUrl, isLocal } = getByUrl(url)
    if (isLocal && checksLoopback) checkLoopbackHost(headers.get('host'))
    return baseUrl
  }
}

/**
 * Checks the Host header, since some hosts take `Request.url` from an absolute request target, or
 * from their own settings. A request that was created in the process has no Host header.
 */
function checkLoopbackHost(host: string | null): void {
  if (host === null || /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host)) return
  const shown = host.slice(0, 255)
  throw new AuthError('Configuration', `serviceUrl (SERVICE_URL) is not set for ${shown}`)
}

/** The base URL of an origin that is trusted. */
interface TrustedUrl {
  readonly baseUrl: BaseUrl
  readonly isLocal: boolean
}

function toTrusted(options: BaseUrlOptions, url: URL): TrustedUrl {
  options.trustedHosts.check(url)
  const isLocal = isLoopback(url)
  if (url.protocol !== 'https:' && !options.allowInsecure && !isLocal) {
    throw new AuthError('Configuration', `plain http is for loopback only: ${url.host}`)
  }
  return { baseUrl: toBaseUrl(options, url.origin), isLocal }
}

function toBaseUrl({ serviceUrl, cookieSpecs }: BaseUrlOptions, origin: string): BaseUrl {
  const href = origin + serviceUrl.basePath
  return { origin, href, cookies: cookieSpecs(isSecure(origin)) }
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https:')
}

/** Keeps what was made for the last origin: most hosts serve only one. */
function cacheLast(make: (origin: string) => TrustedUrl): (requestUrl: string) => TrustedUrl {
  let last: { readonly origin: string; readonly made: TrustedUrl } | undefined
  return (requestUrl) => {
    const origin = getOrigin(requestUrl)
    if (last?.origin !== origin) last = { origin, made: make(origin) }
    return last.made
  }
}

/**
 * Returns what is wrong with a URL that cannot be used.
 *
 * @param expected The problem, unless the URL is http(s) and only its host or port is invalid
 */
export function describeUrlProblem(value: string, expected: string): string {
  const isHttp = /^https?:\/\//i.test(value)
  if (!isHttp || URL.canParse(value)) return expected
  return 'must have a valid host, and a port of at most 65535'
}

function parseUrl(value: string): URL {
  const url = URL.parse(value)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  const found = value === '' ? ', found an empty string' : ''
  throw serviceUrlError(describeUrlProblem(value, `must be an http(s) URL${found}`))
}

function serviceUrlError(problem: string): ConfigurationError {
  return new ConfigurationError('serviceUrl', problem)
}
