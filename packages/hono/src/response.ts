import type { Context } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'

/**
 * Converts a response of the service to one of Hono, with all headers. If a middleware returns a raw
 * `Response`, Hono merges the headers of earlier middleware into it and drops its cookies.
 */
export function toHonoResponse(c: Context, response: Response): Response {
  setHeaders(c, response.headers)
  return c.newResponse(response.body, response.status as StatusCode)
}

/** Adds the headers of a session reading to the response of the application, however it is created. */
export function appendHeaders(c: Context, headers: Headers): void {
  // The response to an upgrade cannot be created again with other headers.
  if (c.res.status === 101) return
  setHeaders(c, headers)
  if (headers.has('set-cookie')) return preventCaching(c)
  if (!c.res.headers.has('cache-control')) c.header('cache-control', 'private, no-cache')
}

function setHeaders(c: Context, headers: Headers): void {
  for (const [name, value] of headers) c.header(name, value, { append: name === 'set-cookie' })
}

function preventCaching(c: Context): void {
  c.header('cache-control', 'private, no-store')
  // A random tag: if it matched the browser's, an earlier `etag()` would answer 304 and drop the
  // cookies.
  if (c.res.ok) c.header('etag', `"${crypto.randomUUID()}"`)
}
