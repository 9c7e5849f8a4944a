import type { Auth, ErrorCode } from '@latchkey/core'
import type { Context, MiddlewareHandler } from 'hono'
import { getRequestTarget } from './request-target.ts'
import type { SignedInVariables } from './variables.ts'
import { getErrorCode } from './error-code.ts'

/** Options of {@link requireSession}. */
export interface RequireSessionOptions {
  /**
   * How a request without a session is refused. `json`: 401 with JSON, as APIs do. `redirect`: a
   * redirect to the sign-in page. `auto`: JSON for requests of scripts, which accept JSON and no HTML,
   * or send `Sec-Fetch-Dest: empty` or `X-Requested-With: XMLHttpRequest`; the redirect for all others.
   * Default: `auto`
   */
  readonly answer?: 'auto' | 'json' | 'redirect'
}

/**
 * Returns middleware for routes that need a session, which their handlers find in `c.var.signedIn`.
 * It needs `latchkey(auth)` before it.
 *
 * A request without a session gets 401 `{ "error": "SessionRequired", "message": "…" }`, or a redirect
 * to the sign-in page. GET and HEAD are redirected by 302, and after sign-in the user returns to the
 * same URL. Other methods are redirected by 303, and the user returns to the page that sent the
 * request; its body is lost. If the storage fails, the response is 503
 * `{ "error": "Unavailable", "message": "…" }`, or the message as text. Other errors are thrown to the
 * application.
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { latchkey, requireSession } from '@latchkey/hono'
 *   import { Hono } from 'hono'
 *
 *   declare const auth: Auth
 *   const app = new Hono()
 *     .use(latchkey(auth))
 *     .get('/account', requireSession(auth), (c) => c.text(`Hello, ${c.var.signedIn.user.name}`))
 *     .get('/api/account', requireSession(auth, { answer: 'json' }), (c) => c.json(c.var.signedIn))
 *
 * @throws Error in a request if `latchkey(auth)` is not used before it
 */
export function requireSession<Session>(
  auth: Auth<Session>,
  { answer = 'auto' }: RequireSessionOptions = {},
): MiddlewareHandler<{ Variables: SignedInVariables<Session> }> {
  const signInPath = `${auth.basePath}/signin`
  return async (c, next) => {
    const { session }: Partial<typeof c.var> = c.var
    if (session === undefined)
      throw new Error('requireSession(auth) needs latchkey(auth) before it')
    const signedIn = await session().catch(ignoreUnavailable)
    if (signedIn !== undefined && signedIn !== null) {
      c.set('signedIn', signedIn)
      return next()
    }
    const isUnavailable = signedIn === undefined
    c.header('cache-control', 'private, no-store')
    if (answer === 'auto' ? isScriptRequest(c) : answer === 'json') {
      return isUnavailable ? c.json(unavailable, 503) : c.json(sessionRequired, 401)
    }
    return isUnavailable ? c.text(unavailable.message, 503) : redirectToSignIn(c, signInPath)
  }
}

/** The JSON of a refusal. */
interface Refusal {
  readonly error: ErrorCode
  readonly message: string
}

const sessionRequired: Refusal = { error: 'SessionRequired', message: 'Sign in first.' }
const unavailable: Refusal = { error: 'Unavailable', message: 'Try again later.' }

/**
 * Returns undefined for `Unavailable` and throws any other error. It compares the code, not the class,
 * because an application can have two copies of core.
 */
function ignoreUnavailable(thrown: unknown): undefined {
  if (getErrorCode(thrown) === unavailable.error) return undefined
  throw thrown
}

/** The user returns to a path, because behind a proxy the origin of the request is not the public one. */
function redirectToSignIn(c: Context, signInPath: string): Response {
  const isSafe = /^(GET|HEAD)$/.test(c.req.method)
  // The page of the form can have another origin: the service checks its URL (I-41).
  const callbackUrl = isSafe ? getRequestTarget(c.req.url) : c.req.header('referer')
  const query = callbackUrl ? `?callbackUrl=${encodeURIComponent(callbackUrl)}` : ''
  return c.redirect(signInPath + query, isSafe ? 302 : 303)
}

function isScriptRequest({ req }: Context): boolean {
  const accept = req.header('accept') ?? ''
  return (
    (accept.includes('application/json') && !accept.includes('text/html')) ||
    req.header('sec-fetch-dest') === 'empty' ||
    req.header('x-requested-with') === 'XMLHttpRequest'
  )
}
