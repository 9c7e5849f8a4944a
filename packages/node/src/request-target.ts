import type { IncomingMessage } from 'node:http'

/** The members of a request that say what it asks for, and of which host. */
export type TargetedRequest = Pick<IncomingMessage, 'headersDistinct' | 'method' | 'url'> & {
  /** The target before Express or Connect removed the path at which a middleware is mounted. */
  readonly originalUrl?: string
}

/**
 * Returns the path and query of a request, or `*` for an OPTIONS request to the server itself (RFC
 * 9112 §3.2). Returns undefined if the request can be understood as one to another host: unless it
 * has exactly one well-formed Host header, and an absolute target has the scheme of the connection,
 * http (RFC 9110 §7.4), and the host and port of that header.
 */
export function getPath({
  headersDistinct,
  method,
  url: rest = '',
  originalUrl = rest,
}: TargetedRequest): string | undefined {
  // Another end is one that a middleware has rewritten.
  const url = originalUrl.endsWith(rest) ? originalUrl : rest
  const [authority = '', ...others] = headersDistinct['host'] ?? []
  const host = toHost(authority)
  if (host === undefined || others.length > 0) return undefined
  if (url.startsWith('/')) return url
  if (url === '*') return method === 'OPTIONS' ? url : undefined
  return getAbsolutePath(url, host)
}

/** Returns the path and query of an absolute target; undefined if it names another host. */
function getAbsolutePath(url: string, host: string): string | undefined {
  const [, authority = '', path = ''] = /^http:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  return toHost(authority) === host ? path.replace(/^(?!\/)/, '/') : undefined
}

/** Returns host and port in one spelling; undefined if they are not well-formed, as with user information. */
function toHost(authority: string): string | undefined {
  return authorityPattern.test(authority) ? URL.parse(`http://${authority}/`)?.host : undefined
}

const authorityPattern = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i
