import type { Auth, RecentOptions } from '@latchkey/core'
import type { MiddlewareHandler } from 'hono'
import { appendHeaders, toHonoResponse } from './response.ts'
import type { SignedInVariables } from './variables.ts'

/**
 * Returns middleware for routes that need a recent proof of who the user is, whose handlers find the
 * session in `c.var.signedIn`. The service needs `confirmation()`.
 *
 * A GET without one is redirected to the page that asks the user to confirm, and from there back to its URL.
 * Other requests, and requests of scripts, get 401 `{ "url", "error", "message" }`, whose `url` is that page.
 * Without a session it is the sign-in page.
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { latchkey, requireRecent } from '@latchkey/hono'
 *   import { Hono } from 'hono'
 *
 *   declare const auth: Auth
 *   const app = new Hono()
 *     .use(latchkey(auth))
 *     .get('/keys', requireRecent(auth, { maxAge: 300 }), (c) => c.text(`Keys of ${c.var.signedIn.user.name}`))
 *
 * @throws AuthError in a request, as `auth.requireRecent`
 * @throws ConfigurationError in a request, without `confirmation()`
 */
export function requireRecent<Session>(
  auth: Auth<Session>,
  options?: RecentOptions,
): MiddlewareHandler<{ Variables: SignedInVariables<Session> }> {
  return async (c, next) => {
    const recent = await auth.requireRecent(c.req.raw, options)
    if (recent instanceof Response) return toHonoResponse(c, recent)
    if (recent.session === null) throw new Error('auth.requireRecent returned no session')
    c.set('signedIn', recent.session)
    await next()
    return appendHeaders(c, recent.headers)
  }
}
