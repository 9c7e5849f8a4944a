import type { NextService } from './next-service.ts'

/** What a request's URL depends on. */
type Located = Pick<NextService<unknown>, 'basePath' | 'origin'>

/**
 * Returns the origin that a client sent its request to, from the Host header and
 * `X-Forwarded-Proto`, which `next start` sets if no proxy did. The service trusts it by its own rules
 * (I-2). `X-Forwarded-Host` is not read.
 */
export function toOrigin(headers: Headers): string {
  const [protocol = ''] = (headers.get('x-forwarded-proto') ?? '').split(',')
  const scheme = protocol.trim() === 'https' ? 'https' : 'http'
  return URL.parse(`${scheme}://${headers.get('host') ?? ''}`)?.origin ?? 'http://localhost'
}

/**
 * Returns the URL of a request as its client sent it. `Request.url` of Next.js has the host name that
 * the server listens on, and lacks the `basePath` of next.config.
 *
 * @param target Path and query, undecoded, with or without the `basePath` of next.config
 */
export function toServiceUrl(
  target: string,
  headers: Headers,
  { basePath, origin }: Located,
): string {
  return (origin ?? toOrigin(headers)) + restoreBasePath(target, basePath)
}

/** Returns path and query of an absolute URL, undecoded. */
export function getRequestTarget(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return start === -1 ? '/' : url.slice(start)
}

/**
 * Prepends the part of the service's base path that Next.js has removed: for `/docs/api/auth` and
 * `/api/auth/session` that is `/docs`.
 */
function restoreBasePath(target: string, basePath: string): string {
  // A target that names a host, or `*`, is not a path of the service.
  if (!target.startsWith('/')) return `/${target}`
  if (target.startsWith(`${basePath}/`)) return target
  const starts = [...basePath.matchAll(/\//g)].map(({ index }) => index)
  const start = starts.find((index) => target.startsWith(`${basePath.slice(index)}/`))
  return start === undefined ? target : basePath.slice(0, start) + target
}

/** The parameters of a route, such as `{ latchkey: ['callback', 'github'] }`. */
export type RouteParameters = Readonly<Record<string, string | readonly string[] | undefined>>

/** Removes the parameters of the route, which Next.js adds to the query on the edge runtime. */
export function removeRouteParameters(target: string, parameters: RouteParameters): string {
  const [path = '', query] = target.split(/\?([^]*)/)
  if (!query) return target
  const search = new URLSearchParams(query)
  const isAdded = (name: string): boolean =>
    Object.hasOwn(parameters, name) &&
    JSON.stringify(search.getAll(name)) === JSON.stringify([parameters[name]].flat())
  const own = query
    .split('&')
    .filter((part) => ![...new URLSearchParams(part).keys()].some(isAdded))
  return own.length > 0 ? `${path}?${own.join('&')}` : path
}
