/** Path and query of an absolute URL as `Request.url` gives it, undecoded (I-3): Hono decodes its own. */
export function targetOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + 3))
}
