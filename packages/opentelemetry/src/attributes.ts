import type { Attributes } from '@opentelemetry/api'

/** Names of the semantic conventions of OpenTelemetry. The tests compare them with its package. */
export const names = {
  requestMethod: 'http.request.method',
  route: 'http.route',
  statusCode: 'http.response.status_code',
  urlScheme: 'url.scheme',
  urlPath: 'url.path',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  errorType: 'error.type',
  dbOperation: 'db.operation.name',
  dbSystem: 'db.system.name',
} as const

/** Names of our own: what the semantic conventions have no name for. */
export const ownNames = {
  /** The id of the provider that a path or an event names. */
  provider: 'latchkey.provider',
  /** The code of a refused request (I-8). */
  errorCode: 'latchkey.error.code',
  /** The limit that a request has reached (I-32). */
  limit: 'latchkey.limit',
  /** Whether a sign-in has stored its user. */
  isNewUser: 'latchkey.user.is_new',
} as const

const methods = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
])

/** Returns a method of HTTP; any other text, which a client can choose, is `_OTHER`. */
export function getMethod(method: string): string {
  return methods.has(method) ? method : '_OTHER'
}

/** Returns host, port and scheme of a URL. Path and query can have ids, codes and tokens. */
export function getServerAttributes(url: URL): Attributes {
  const { hostname, port, protocol } = url
  const scheme = protocol.slice(0, -1)
  return {
    [names.urlScheme]: scheme,
    [names.serverAddress]: hostname,
    [names.serverPort]: Number(port || (scheme === 'https' ? 443 : 80)),
  }
}

/**
 * Returns the kind of an error: its code, such as `ECONNREFUSED`, else its name. Messages can have
 * email addresses, as of a unique constraint.
 */
export function getErrorType(thrown: unknown): string {
  const { code, name }: { readonly code?: unknown; readonly name?: unknown } = Object(thrown)
  const type = [code, name].find((text) => typeof text === 'string' && /^\w{1,64}$/.test(text))
  return typeof type === 'string' ? type : '_OTHER'
}
