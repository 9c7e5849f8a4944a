import type { CookieRows } from './cookies.ts'
import { AuthError, ConfigurationError } from '../errors.ts'

/** Where the service lives, as one request sees it. */
export interface Site {
  /** `https://auth.example.com` */
  readonly origin: string
  /** The absolute address that every route is relative to: origin and base path. */
  readonly base: string
  readonly cookies: CookieRows
}

/** Where an identity provider sends people back to: the `redirect_uri`. */
export function callbackUrlOf({ base }: Site, { id }: { readonly id: string }): string {
  return `${base}/callback/${id}`
}

/** The address of the service (I-1): where it was configured, both parts are known. */
export interface ServiceAddress {
  readonly origin: string | undefined
  readonly basePath: string
}

export interface SiteOptions {
  readonly address: ServiceAddress
  readonly trustHost: boolean
  readonly allowInsecure: boolean
  readonly cookies: (secure: boolean) => CookieRows
}

const DEFAULT_PATH = '/api/auth'

/**
 * Reads the option `serviceUrl` (I-1).
 *
 * @throws ConfigurationError where it is no http(s) URL, or has a query, a fragment or credentials
 */
export function parseServiceUrl(value: string | URL | undefined): ServiceAddress {
  if (value === undefined) return { origin: undefined, basePath: DEFAULT_PATH }
  const url = parseUrl(String(value))
  if (url.search || url.hash || /[?#]$/.test(String(value))) {
    throw refused('must have neither a query nor a fragment')
  }
  if (url.username || url.password) throw refused('must not contain credentials')
  const path = url.pathname.replace(/\/+$/, '')
  return { origin: url.origin, basePath: path || DEFAULT_PATH }
}

/**
 * How a request finds its site: the configured one, or that of its own origin where that is loopback
 * or `trustHost` is set (I-2). Plain http is for loopback alone unless `allowInsecure` (I-4).
 */
export function createSites(options: SiteOptions): (requestUrl: string) => Site {
  const { origin } = options.address
  if (origin === undefined) return lastOf((url) => trustedSite(options, url))
  if (!isSecure(origin) && !options.allowInsecure && !isLoopback(new URL(origin))) {
    throw refused('must be https: plain http is for loopback only, unless allowInsecure is set')
  }
  const site = siteAt(options, origin)
  return () => site
}

/** True for localhost, 127.0.0.1 and [::1]. */
export function isLoopback(url: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
}

/** True for an https address, and for an http one of loopback. */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
}

/** The origin of an absolute URL as `Request.url` gives it, without parsing the rest. */
function originOf(requestUrl: string): string {
  const end = requestUrl.indexOf('/', requestUrl.indexOf('://') + 3)
  return end === -1 ? requestUrl : requestUrl.slice(0, end)
}

function trustedSite(options: SiteOptions, origin: string): Site {
  const url = new URL(origin)
  if (!options.trustHost && !isLoopback(url)) {
    throw new AuthError('Configuration', `serviceUrl (SERVICE_URL) is not set for ${url.host}`)
  }
  if (!isSecure(origin) && !options.allowInsecure && !isLoopback(url)) {
    throw new AuthError('Configuration', `plain http is for loopback only: ${url.host}`)
  }
  return siteAt(options, url.origin)
}

function siteAt({ address, cookies }: SiteOptions, origin: string): Site {
  return { origin, base: origin + address.basePath, cookies: cookies(isSecure(origin)) }
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https:')
}

/** Requests of one host come one after another: the site of the last one is kept. */
function lastOf(make: (origin: string) => Site): (requestUrl: string) => Site {
  let last: { readonly origin: string; readonly site: Site } | undefined
  return (requestUrl) => {
    const origin = originOf(requestUrl)
    if (last?.origin !== origin) last = { origin, site: make(origin) }
    return last.site
  }
}

function parseUrl(value: string): URL {
  const url = URL.parse(value)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw refused('must be an http(s) URL')
  return url
}

function refused(problem: string): ConfigurationError {
  return new ConfigurationError('serviceUrl (SERVICE_URL)', problem)
}
