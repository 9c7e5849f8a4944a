import type { Auth, AuthError, ErrorCode } from '@latchkey/core'
import type { Context, MiddlewareHandler } from 'hono'
import { targetOf } from './target.ts'
import type { SignedInVariables } from './variables.ts'

/** How {@link requireSession} refuses. */
export interface RequireSessionOptions {
  /**
   * `json`: always 401 with JSON, as APIs do. `redirect`: always to the sign-in page. `auto`: JSON for
   * requests of scripts, which are those that accept JSON and no HTML, or say so in `Sec-Fetch-Dest` or
   * `X-Requested-With`; the sign-in page for all others. Default: `auto`
   */
  readonly answer?: 'auto' | 'json' | 'redirect'
}

/**
 * Middleware for routes that are for signed-in people: their handlers find the session in
 * `c.var.signedIn`. It needs `latchkey(auth)` before it.
 *
 * Everybody else gets 401 `{ "error": "SessionRequired", "message": "…" }`, or goes to the sign-in page
 * and from there back to this address: by 302. Anything but GET and HEAD goes by 303, and comes back to
 * the page that it was sent from: what was sent is lost. Where the storage fails, nobody is sent away:
 * the answer is 503 `{ "error": "Unavailable", "message": "…" }`, or its message alone. Other errors
 * are the application's.
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
 */
export function requireSession<Session>(
  auth: Auth<Session>,
  { answer = 'auto' }: RequireSessionOptions = {},
): MiddlewareHandler<{ Variables: SignedInVariables<Session> }> {
  const page = `${auth.basePath}/signin`
  return async (c, next) => {
    const { session } = c.var as Partial<typeof c.var>
    if (!session) throw new Error('requireSession(auth) needs latchkey(auth) before it')
    const signedIn = await session().catch(nothingInOutage)
    if (signedIn) {
      c.set('signedIn', signedIn)
      return next()
    }
    const isOut = signedIn === undefined
    c.header('cache-control', 'private, no-store')
    if (answer === 'auto' ? isOfScript(c) : answer === 'json') {
      return isOut ? c.json(tryLater, 503) : c.json(signInFirst, 401)
    }
    return isOut ? c.text(tryLater.message, 503) : toSignIn(c, page)
  }
}

/** What JSON refusals say. */
interface Refusal {
  readonly error: ErrorCode
  readonly message: string
}

const signInFirst: Refusal = { error: 'SessionRequired', message: 'Sign in first.' }
const tryLater: Refusal = { error: 'Unavailable', message: 'Try again later.' }

/**
 * Whether anybody is signed in is not known then; any other error is passed on. It is told by its code,
 * not by its class, because an application can have two copies of core.
 */
function nothingInOutage(thrown: unknown): undefined {
  if ((thrown as Partial<AuthError> | null)?.code === tryLater.error) return undefined
  throw thrown
}

/** A person comes back to a path: behind a proxy the request's own origin is not the public one. */
function toSignIn(c: Context, page: string): Response {
  const isRead = /^(GET|HEAD)$/.test(c.req.method)
  // Wherever the form stands: the service checks the address (I-41).
  const back = isRead ? targetOf(c.req.url) : c.req.header('referer')
  const query = back ? `?callbackUrl=${encodeURIComponent(back)}` : ''
  return c.redirect(page + query, isRead ? 302 : 303)
}

function isOfScript({ req }: Context): boolean {
  const accept = req.header('accept') ?? ''
  return (
    (accept.includes('application/json') && !accept.includes('text/html')) ||
    req.header('sec-fetch-dest') === 'empty' ||
    req.header('x-requested-with') === 'XMLHttpRequest'
  )
}
