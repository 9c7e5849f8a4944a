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
  return (origin ?? toOrigin(headers)) + restoreBasePath(removeRouteParameters(target), basePath)
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
  if (target.startsWith(`${basePath}/`)) return target
  const starts = [...basePath.matchAll(/\//g)].map(({ index }) => index)
  const start = starts.find((index) => target.startsWith(`${basePath.slice(index)}/`))
  return start === undefined ? target : basePath.slice(0, start) + target
}

/**
 * Removes the parameters of the route (`nxtPlatchkey=callback&nxtPlatchkey=github`), which Next.js adds
 * to the query on the edge runtime.
 */
function removeRouteParameters(target: string): string {
  const start = target.indexOf('?')
  if (start === -1) return target
  const parameters = target.slice(start + 1).split('&')
  const own = parameters.filter((parameter) => !/^nxt[PI]/.test(parameter))
  return target.slice(0, start) + (own.length > 0 ? `?${own.join('&')}` : '')
}
