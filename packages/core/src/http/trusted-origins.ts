import { ConfigurationError } from '../lib/errors.ts'
import { provesUser } from '../lib/proves-user.ts'
import type { Provider } from '../ports/provider.ts'
import { isLoopback } from './base-url.ts'
import type { ServiceUrl } from './base-url.ts'
import { getSite } from './public-suffix.ts'
import type { ReplyHeaders } from './reply.ts'

/**
 * The origins whose pages may call a route (I-42): `own`, the service's origin; `trusted`, also
 * `trustedOrigins`; `credentials`, also `trustedOrigins` for providers of the type `credentials`.
 */
export type RouteOrigins = 'own' | 'trusted' | 'credentials'

/** What a grant to another origin needs of the service. */
interface TrustingService {
  readonly trustedOrigins: ReadonlySet<string>
}

/** What decides about a grant to another origin. */
interface CalledRoute {
  readonly route: { readonly method: string; readonly origins: RouteOrigins }
  readonly provider: Pick<Provider, 'kind'> | undefined
}

/** Seconds that a browser may keep the answer to a preflight. */
const PREFLIGHT_AGE = 600

/**
 * Checks the option `trustedOrigins` (I-42).
 *
 * @throws ConfigurationError if a value is not an origin, or not of the service's scheme and site
 */
export function resolveTrustedOrigins(
  origins: readonly string[] = [],
  { origin }: ServiceUrl,
): ReadonlySet<string> {
  // The text is not repeated: it may have credentials.
  const wrong = Array.isArray(origins) ? origins.findIndex((each) => !isOfSite(each, origin)) : 0
  if (wrong === -1) return new Set(origins)
  const which = Array.isArray(origins) ? `[${wrong}] is not an origin` : 'is not a list of origins'
  const expected = '(expected e.g. https://app.example.com)'
  const problem = `${which} of the scheme and site of serviceUrl ${expected}`
  throw new ConfigurationError('trustedOrigins', problem)
}

/**
 * Returns whether a request comes from a page of a trusted origin. The browser decides what
 * is the same site: an origin that it calls cross-site is not trusted.
 */
export function isFromTrustedOrigin(
  { trustedOrigins }: TrustingService,
  { headers }: Pick<Request, 'headers'>,
): boolean {
  if (!trustedOrigins.has(headers.get('origin') ?? '')) return false
  return (headers.get('sec-fetch-site') ?? 'same-site') === 'same-site'
}

/** Returns the headers with which a page of a trusted origin may read a reply (Fetch Standard §3.3). */
export function getOriginHeaders(
  service: TrustingService,
  request: Request,
  called: CalledRoute,
): ReplyHeaders {
  if (service.trustedOrigins.size === 0 || !isOpen(called)) return {}
  // For caches, also if there is no grant: the next request may come from another origin.
  const vary = 'Origin'
  if (!isFromTrustedOrigin(service, request)) return { vary }
  return {
    vary,
    'access-control-allow-origin': request.headers.get('origin') ?? '',
    'access-control-allow-credentials': 'true',
  }
}

/** Returns the headers that allow a preflight the methods of a path (Fetch Standard §4.8). */
export function getPreflightHeaders(methods: readonly string[]): ReplyHeaders {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'content-type, x-auth-return-redirect',
    'access-control-max-age': String(PREFLIGHT_AGE),
  }
}

function isOpen({ route, provider }: CalledRoute): boolean {
  if (route.origins === 'credentials') return provider !== undefined && provesUser(provider)
  return route.origins === 'trusted'
}

function isOfSite(value: unknown, service: string | undefined): boolean {
  if (typeof value !== 'string') return false
  const url = URL.parse(value)
  if (url?.origin !== value || !/^https?:\/\/[\w.:[\]-]+$/.test(value)) return false
  if (service === undefined) return isLoopback(url)
  const { protocol, hostname } = new URL(service)
  return url.protocol === protocol && isSameSite(url.hostname, hostname)
}

/** Returns whether two hosts can be of one site; IPv4 addresses cannot. It finds mistakes: the browser decides. */
function isSameSite(one: string, other: string): boolean {
  if (one === other) return true
  const site = getSite(one)
  return site !== undefined && !/\.\d+$/.test(one) && site === getSite(other)
}
