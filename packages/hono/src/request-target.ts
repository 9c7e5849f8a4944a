/**
 * Returns path and query of an absolute URL as `Request.url` gives it, undecoded (I-3). The path of
 * Hono is decoded.
 */
export function getRequestTarget(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + 3))
}
