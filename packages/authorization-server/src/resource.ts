import { ConfigurationError, checkKnownNames } from '@latchkey/core/capability/options'
import { TokenError, createTokenVerifier } from '@latchkey/tokens/verify-token'
import type { TokenVerifierOptions, VerifiedToken } from '@latchkey/tokens/verify-token'

/** The options of {@link protectedResource}. */
export interface ProtectedResourceOptions extends Omit<TokenVerifierOptions, 'audience'> {
  /** The URL of the resource, as the authorization server knows it: `https://mcp.example.com/mcp`. */
  readonly resource: string
  /** The scopes that clients may ask for. Default: the metadata names none */
  readonly scopes?: readonly string[]
}

/** An API or MCP server that accepts the tokens of an authorization server. */
export interface ProtectedResource {
  /**
   * Answers a request for the metadata of the resource (RFC 9728 §3): clients find the authorization server by it.
   *
   * @returns Undefined if the request is for something else
   */
  readonly respond: (request: Request) => Response | undefined
  /**
   * Verifies the token of a request.
   *
   * @param scopes All scopes that the operation needs. Default: none
   * @returns The claims; or the response to send: 401 without a valid token, 403 without the scopes, 503 if the keys of the
   *   issuer cannot be fetched
   */
  readonly authorize: (
    request: Request,
    scopes?: readonly string[],
  ) => Promise<VerifiedToken | Response>
}

/**
 * Protects an API or MCP server by the access tokens of an authorization server. It needs nothing of the server but its URL.
 *
 * @example
 *   import { protectedResource } from '@latchkey/authorization-server/resource'
 *
 *   const { respond, authorize } = protectedResource({
 *     resource: 'https://mcp.example.com/mcp',
 *     issuer: 'https://auth.example.com/api/auth',
 *     scopes: ['notes:read'],
 *   })
 *   async function answer(request: Request): Promise<Response> {
 *     const metadata = respond(request)
 *     if (metadata) return metadata
 *     const token = await authorize(request, ['notes:read'])
 *     if (token instanceof Response) return token
 *     return Response.json({ notes: [], of: token.sub })
 *   }
 *
 * @throws ConfigurationError `resource`, `issuer`, `jwks` or `scopes`
 */
export function protectedResource(options: ProtectedResourceOptions): ProtectedResource {
  checkKnownNames('protectedResource', options, ['resource', 'issuer', 'jwks', 'scopes'])
  const { resource, scopes, ...verifier } = options
  const url = URL.parse(resource)
  if (!url || url.hash || url.search || resource.endsWith('#')) {
    throw new ConfigurationError('resource', 'must be a URL without a query and a fragment')
  }
  for (const scope of scopes ?? []) checkScope('scopes', scope)
  const verify = createTokenVerifier({ ...verifier, audience: resource })
  // The path of the resource is inserted (RFC 9728 §3.1).
  const path = `/.well-known/oauth-protected-resource${url.pathname === '/' ? '' : url.pathname}`
  const document = {
    resource,
    authorization_servers: [options.issuer],
    bearer_methods_supported: ['header'],
    ...(scopes && { scopes_supported: scopes }),
  }
  return {
    respond: (request) => respond(request, path, document),
    authorize: async (request, needed = []) => {
      for (const scope of needed) checkScope('authorize', scope)
      const challenge = createChallenge(`${url.origin}${path}`, needed)
      const header = request.headers.get('authorization') ?? ''
      const [, token] = /^Bearer +([\w~+/.-]+=*) *$/i.exec(header) ?? []
      // RFC 6750 §3.1: without credentials there is no error.
      if (token === undefined) return refuse(401, challenge())
      return verify(token).then(
        (claims) =>
          hasScopes(claims, needed) ? claims : refuse(403, challenge('insufficient_scope')),
        (thrown: unknown) => toRefusal(thrown, challenge),
      )
    },
  }
}

function respond(request: Request, path: string, document: object): Response | undefined {
  if (new URL(request.url).pathname !== path) return undefined
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=3600' }
  if (request.method === 'OPTIONS') {
    const preflight = {
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
    }
    return new Response(null, { status: 204, headers: { ...headers, ...preflight } })
  }
  const response = Response.json(document, { headers })
  if (request.method === 'GET') return response
  if (request.method === 'HEAD') return new Response(null, response)
  return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
}

type Challenge = (error?: 'invalid_token' | 'insufficient_scope') => string

/** Creates the header `WWW-Authenticate` (RFC 9728 §5.1, RFC 6750 §3), with all scopes of the operation. */
function createChallenge(metadata: string, scopes: readonly string[]): Challenge {
  return (error) => {
    const parameters = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      `resource_metadata="${metadata}"`,
      ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
    ]
    return `Bearer ${parameters.join(', ')}`
  }
}

function hasScopes({ scope }: VerifiedToken, needed: readonly string[]): boolean {
  const granted = typeof scope === 'string' ? scope.split(' ') : []
  return needed.every((each) => granted.includes(each))
}

function toRefusal(thrown: unknown, challenge: Challenge): Response {
  if (!(thrown instanceof TokenError)) throw thrown
  return thrown.code === 'invalid' ? refuse(401, challenge('invalid_token')) : refuse(503)
}

function refuse(status: 401 | 403 | 503, challenge?: string): Response {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'www-authenticate',
  }
  if (challenge !== undefined) headers['www-authenticate'] = challenge
  const message = status === 503 ? 'Try again later.' : 'A valid token is needed.'
  const error = status === 503 ? 'Unavailable' : 'TokenRequired'
  return Response.json({ error, message }, { status, headers })
}

/** RFC 6749 §3.3: a scope cannot end the text of a header. */
function checkScope(option: string, scope: string): void {
  if (/^[!#-[\]-~]+$/.test(scope)) return
  throw new ConfigurationError(option, 'must be scopes of RFC 6749 §3.3')
}
