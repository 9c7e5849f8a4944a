import type { AccessToken } from '../access-tokens/get-access-token.ts'
import type { AccessTokenOptions } from './access-tokens.ts'
import type { AuthAccounts } from './accounts.ts'
import type { CurrentSession, GetSessionOptions } from './get-session.ts'
import type { AuthFactors } from '../kernel/auth-factors.ts'
import type { RecentOptions } from '../confirmation/recent-options.ts'
import type { AuthSessions } from './sessions.ts'
import type { AuthUsers } from './users.ts'
import type { DefaultSession } from '../kernel/callbacks.ts'
import type { Handle } from '../service/handle.ts'
import type { HandleOptions } from '../ports/runtime.ts'
import type { SessionToken } from '../session/session-claims.ts'

/**
 * A sign-in service.
 *
 * @typeParam Session What clients see: the result of `callbacks.session`
 * @typeParam Token What a session carries: the result of `callbacks.jwt`
 * @typeParam Fields The application's own fields of a user, as `storage` keeps them
 */
export interface Auth<
  Session = DefaultSession,
  Token extends SessionToken = SessionToken,
  Fields = unknown,
> {
  /** The path that the routes are relative to, such as `/api/auth`. */
  readonly basePath: string
  /**
   * Answers a request to one of the service's routes. It never rejects.
   *
   * @example
   *   import { createAuth } from '@latchkey/core'
   *   import type { AuthConfig } from '@latchkey/core'
   *
   *   declare const config: AuthConfig
   *   const { handle } = createAuth(config)
   *   export default { fetch: (request: Request) => handle(request) }
   */
  readonly handle: Handle
  /**
   * Answers a request of a program, outside the base path: undefined for another request. Hosts call it before `handle`. Only with
   * `authorizationServer()`.
   */
  readonly programs?: (request: Request, options?: HandleOptions) => Promise<Response> | undefined
  /**
   * Returns the session of any request of the application, as its clients see it, and the headers to
   * append to the response: a session that is due is renewed here too.
   *
   * @throws AuthError `Configuration` if the request's origin is not trusted, `Callback` if a callback
   *   throws, `Unavailable` if the storage fails
   */
  readonly getSession: (
    request: Request,
    options?: GetSessionOptions,
  ) => Promise<CurrentSession<Session>>
  /**
   * Returns what the session of a request carries, as `callbacks.jwt` returned it: for the server only,
   * since no client sees it. Null if there is no session. It is a read: nothing is renewed,
   * imported or deleted.
   *
   * @example
   *   import type { Auth, DefaultSession, SessionToken } from '@latchkey/core'
   *
   *   declare const auth: Auth<DefaultSession, SessionToken & { readonly tenant: string }>
   *   async function getTenant(request: Request): Promise<string | undefined> {
   *     return (await auth.getToken(request))?.tenant
   *   }
   *
   * @throws AuthError `Configuration` if the request's origin is not trusted, `Callback` if
   *   `callbacks.jwt` throws for a session that is not imported yet, `Unavailable` if the storage fails
   */
  readonly getToken: (request: Request) => Promise<Token | null>
  /**
   * Returns an access token for the API of a provider: the token of the user's account, refreshed if it
   * has expired. A refresh token is used once, whatever the number of concurrent requests; if the session
   * keeps the tokens (`session.accessTokens`), once in each process, and `headers` set its cookie after a
   * refresh. Null if there is no session, or the user has no account there.
   *
   * @example
   *   import type { Auth } from '@latchkey/core'
   *
   *   declare const auth: Auth
   *   async function repositories(request: Request): Promise<unknown> {
   *     const token = await auth.getAccessToken(request, 'github')
   *     if (!token) return []
   *     const headers = { authorization: `Bearer ${token.accessToken}` }
   *     return (await fetch('https://api.github.com/user/repos', { headers })).json()
   *   }
   *
   * @throws AuthError `OAuthSignin` if the token has expired and cannot be refreshed: the user must
   *   sign in again
   * @throws ConfigurationError if there is no such provider, or neither a storage that keeps tokens nor
   *   `session.accessTokens`
   */
  readonly getAccessToken: (
    request: Request,
    provider: string,
    options?: AccessTokenOptions,
  ) => Promise<AccessToken | null>
  /**
   * Returns the session of a request, as `getSession` does, if its user has proven who they are recently; else
   * the response to send: for a GET a redirect to the page that asks, and from there back to this URL;
   * otherwise 401 with the JSON `{url, error, message}`, whose `url` is that page. Replicas are not asked.
   *
   * @example
   *   import type { Auth } from '@latchkey/core'
   *
   *   declare const auth: Auth
   *   async function showKeys(request: Request): Promise<Response> {
   *     const recent = await auth.requireRecent(request, { maxAge: 300 })
   *     if (recent instanceof Response) return recent
   *     return new Response('The keys', { headers: recent.headers })
   *   }
   *
   * @throws ConfigurationError without `confirmation()`, or if `maxAge` or `factors` is invalid
   * @throws AuthError as `getSession`
   */
  readonly requireRecent: (
    request: Request,
    options?: RecentOptions,
  ) => Promise<CurrentSession<Session> | Response>
  /** Lists and ends the sessions in the storage. */
  readonly sessions: AuthSessions
  /** Lists and unlinks the accounts of stored users. */
  readonly accounts: AuthAccounts
  /**
   * Lists, names and removes every factor of stored users, such as passwords, passkeys and authenticator apps. Needs
   * `secondFactor()`, `passwords()` or `passkeys()`.
   */
  readonly factors: AuthFactors
  /** Reads, changes, deletes and lists the stored users. */
  readonly users: AuthUsers<Fields>
}
