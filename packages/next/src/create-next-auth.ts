import type { DefaultSession, SessionToken, SessionTypes, UntypedToken } from '@latchkey/core'
import { createApiHandler } from './api-handler.ts'
import type { ApiHandler } from './api-handler.ts'
import { getRequest } from './get-request.ts'
import type { NextAuthOptions } from './next-auth-options.ts'
import { createGetService } from './next-service.ts'
import type { ConfigSource, NextService } from './next-service.ts'
import { createRequireRecent } from './require-recent.ts'
import type { RequireRecentOptions } from './require-recent.ts'
import { createRouteHandlers } from './route-handlers.ts'
import type { RouteHandlers } from './route-handlers.ts'
import { createServerActions } from './server-actions.ts'
import type { ServerActions } from './server-actions.ts'
import { keepPending } from '@latchkey/core/unstable'

/** A sign-in service in a Next.js application. */
export interface NextAuth<
  Session = DefaultSession,
  Token extends SessionToken = UntypedToken,
> extends ServerActions<Session> {
  /**
   * The route handlers of the App Router, for a catch-all `route.ts` such as
   * `app/api/auth/[...latchkey]/route.ts`. Next.js answers the methods that the file does not export. With
   * `authorizationServer()`, export them from `app/oauth/[...latchkey]/route.ts`,
   * `app/.well-known/oauth-authorization-server/[...latchkey]/route.ts` and, with `openId()`,
   * `app/.well-known/openid-configuration/[...latchkey]/route.ts` too.
   */
  readonly handlers: RouteHandlers
  /** The API route of the Pages Router, for a catch-all such as `pages/api/auth/[...latchkey].ts`. */
  readonly apiHandler: ApiHandler
  /**
   * Returns the session in a server component, a route handler or a server action, null if there is
   * none. It writes nothing: a session that is due is renewed by the client's `GET /session`.
   *
   * It checks the cookie's seal and expiry. The row and the user are checked too if sessions are stored or
   * `revocable`. If they are kept only in the cookie, a deleted user and withdrawn rights are found at the
   * next renewal, so not before `session.maxAge` in an application that never renews.
   *
   * @throws AuthError `Unavailable` if the storage fails, `Configuration` if the origin of the request
   *   is untrusted, `Callback` if a callback throws
   * @throws ConfigurationError naming the invalid option, if this is the first use of the configuration
   */
  readonly auth: () => Promise<Session | null>
  /**
   * Returns the session in a server component or a server action if its user has proven who they are recently;
   * otherwise it redirects to the page that asks the user to confirm, and from there to `callbackUrl`. Without a
   * session that is the sign-in page. Call it outside of `try`: a redirect of Next.js is thrown. It renews nothing.
   *
   * A route handler calls `requireRecent(request)` of `service()`, whose response it returns: a script gets 401
   * with the URL of that page.
   *
   * @example
   *   import type { NextAuth } from '@latchkey/next'
   *
   *   declare const latchkey: NextAuth
   *   export default async function Keys() {
   *     const session = await latchkey.requireRecent({ callbackUrl: '/keys', maxAge: 300 })
   *     return `The keys of ${session.user.name}`
   *   }
   *
   * @throws ConfigurationError without `confirmation()`, or if `maxAge` or `factors` is invalid
   * @throws AuthError as `auth`
   */
  readonly requireRecent: (options?: RequireRecentOptions) => Promise<Session>
  /**
   * Returns the service with all of its methods, such as `getToken`, `getAccessToken` and `sessions`,
   * which take the request of {@link getRequest}.
   *
   * @throws ConfigurationError as `auth` does
   */
  readonly service: () => Promise<NextService<Session, Token>>
}

/**
 * Creates a sign-in service for a Next.js application. If the configuration is a function, it runs when
 * the module is loaded, except in `next build`, which then needs neither secrets nor other environment
 * variables.
 *
 * A configuration that is invalid is logged and refused when the module is loaded, and not by the first
 * request in production. If the function returns a promise, or throws another error, the error is logged and
 * requests to the service are answered with 500 `Configuration`; the next request tries again.
 *
 * @param config A configuration, or a function that returns it, or a promise of it
 *
 * @example
 *   import { github } from '@latchkey/core/providers/github'
 *   import { createNextAuth } from '@latchkey/next'
 *
 *   export const { handlers, auth } = createNextAuth(() => ({
 *     serviceUrl: process.env['SERVICE_URL'],
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [
 *       github({
 *         clientId: process.env['AUTH_GITHUB_ID'] ?? '',
 *         clientSecret: process.env['AUTH_GITHUB_SECRET'] ?? '',
 *       }),
 *     ],
 *   }))
 *
 * @throws ConfigurationError naming the first invalid option, unless `config` returns a promise
 */
export function createNextAuth<
  Session = DefaultSession,
  Token extends SessionToken = UntypedToken,
  Fields = unknown,
  Renewed extends SessionToken = Token,
  Updated extends SessionToken = Token,
  Emitted extends SessionTypes = { readonly session: Session; readonly token: Token },
>(
  config: ConfigSource<Session, Token, Fields, Renewed, Updated, Emitted>,
  options: NextAuthOptions = {},
): NextAuth<Session, Token> {
  const service = createGetService(config)
  return Object.freeze({
    // `latchkey doctor` finds the service in what an application exports.
    handlers: keepPending(createRouteHandlers(service, options), service),
    apiHandler: createApiHandler(service, options),
    async auth() {
      // First, so that Next.js renders the page at a request and not in its build.
      const request = await getRequest()
      const { session } = await (await service()).getSession(request, { renew: false })
      return session
    },
    requireRecent: createRequireRecent(service),
    service,
    ...createServerActions(service, options),
  })
}
