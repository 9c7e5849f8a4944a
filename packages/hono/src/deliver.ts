import type { Context } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'

/**
 * Hands a response over to Hono with all of its headers. Hono merges into a `Response` that is
 * returned what earlier middleware has written, and then drops the response's own cookies; written
 * by `c.header` they stay.
 */
export function handOver(c: Context, reply: Response): Response {
  write(c, reply.headers)
  return c.newResponse(reply.body, reply.status as StatusCode)
}

/** Gives the response, whoever made it, what the reading of a session has brought. */
export function deliver(c: Context, headers: Headers): void {
  // The answer to an upgrade cannot be made again with other headers.
  if (c.res.status === 101) return
  write(c, headers)
  if (headers.has('set-cookie')) return keepNowhere(c)
  if (!c.res.headers.has('cache-control')) c.header('cache-control', 'private, no-cache')
}

function write(c: Context, headers: Headers): void {
  for (const [name, value] of headers) c.header(name, value, { append: name === 'set-cookie' })
}

function keepNowhere(c: Context): void {
  c.header('cache-control', 'private, no-store')
  // A tag that no browser has: for one that it has, an `etag()` in front of us would answer 304 and
  // take the cookies away.
  if (c.res.ok) c.header('etag', `"${crypto.randomUUID()}"`)
}
