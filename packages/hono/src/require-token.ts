import type { TokenVerifier, VerifiedToken } from '@latchkey/tokens/verify-token'
import type { Context, MiddlewareHandler } from 'hono'
import { getErrorCode } from './error-code.ts'

/** The variables of a route behind `requireToken(verify)`. */
export interface TokenVariables {
  /** The claims of the request's token. */
  readonly token: VerifiedToken
}

/** What authorizes requests by their tokens: `protectedResource()` of `@latchkey/authorization-server/resource`. */
export interface TokenResource {
  /** Returns the claims of the request's token, or the response to send. */
  readonly authorize: (
    request: Request,
    scopes?: readonly string[],
  ) => Promise<VerifiedToken | Response>
}

/** Options of {@link requireToken}. */
export interface RequireTokenOptions {
  /**
   * Seconds that have passed at most since the user authenticated, by the claim `auth_time` (RFC 9470). A token
   * without it is refused. Default: not checked
   */
  readonly maxAge?: number
  /** All scopes that the routes need. Only with a {@link TokenResource}. Default: none */
  readonly scopes?: readonly string[]
}

/**
 * Returns middleware for routes of an API that need a token of the sign-in service, whose claims
 * their handlers find in `c.var.token`. It needs neither the service nor a session, and reads no cookie.
 *
 * A request without a token, or with one that is not valid, gets 401 with `WWW-Authenticate` (RFC 6750
 * §3); if the user authenticated longer ago than `maxAge`, with `insufficient_user_authentication` (RFC 9470 §3).
 * If the keys of the service cannot be fetched, it gets 503.
 *
 * @param verify What `createTokenVerifier` of `@latchkey/tokens/verify-token` returns, or a {@link TokenResource}, which answers
 *   refused requests itself
 *
 * @example
 *   import { createTokenVerifier } from '@latchkey/tokens/verify-token'
 *   import { requireToken } from '@latchkey/hono'
 *   import { Hono } from 'hono'
 *
 *   const verify = createTokenVerifier({
 *     issuer: 'https://auth.example.com/api/auth',
 *     audience: 'https://api.example.com',
 *   })
 *   const api = new Hono()
 *     .use(requireToken(verify))
 *     .get('/me', (c) => c.json({ id: c.var.token.sub }))
 *
 * @throws TypeError if scopes are given without a resource
 */
export function requireToken(
  verify: TokenVerifier | TokenResource,
  { maxAge, scopes }: RequireTokenOptions = {},
): MiddlewareHandler<{ Variables: TokenVariables }> {
  if (scopes && typeof verify === 'function') {
    throw new TypeError('requireToken: scopes need protectedResource() in place of a verifier')
  }
  return async (c, next) => {
    const token =
      typeof verify === 'function'
        ? await verifyToken(c, verify)
        : await verify.authorize(c.req.raw, scopes)
    if (token instanceof Response) return token
    if (maxAge !== undefined && !isRecent(token, maxAge)) return toStaleResponse(c, maxAge)
    c.set('token', token)
    return next()
  }
}

/** Returns the claims of the request's token, or the response to send. */
async function verifyToken(c: Context, verify: TokenVerifier): Promise<VerifiedToken | Response> {
  const [, token] = /^Bearer +([\w~+/.-]+=*) *$/i.exec(c.req.header('authorization') ?? '') ?? []
  if (token === undefined) return toErrorResponse(c, 401, 'Bearer')
  try {
    return await verify(token)
  } catch (thrown) {
    const code = getErrorCode(thrown)
    if (code === 'invalid') return toErrorResponse(c, 401, 'Bearer error="invalid_token"')
    if (code === 'unavailable') return toErrorResponse(c, 503)
    throw thrown
  }
}

function isRecent({ auth_time: time }: VerifiedToken, maxAge: number): boolean {
  return typeof time === 'number' && Date.now() / 1000 - time <= maxAge
}

function toStaleResponse(c: Context, maxAge: number): Response {
  const error = 'insufficient_user_authentication'
  return toErrorResponse(c, 401, `Bearer error="${error}", max_age="${maxAge}"`)
}

function toErrorResponse(c: Context, status: 401 | 503, challenge?: string): Response {
  c.header('cache-control', 'private, no-store')
  if (challenge !== undefined) c.header('www-authenticate', challenge)
  const message = status === 401 ? 'A valid token is needed.' : 'Try again later.'
  return c.json({ error: status === 401 ? 'TokenRequired' : 'Unavailable', message }, status)
}
