import { getAccessToken } from './api/access-tokens.ts'
import type { AccessToken } from './api/access-tokens.ts'
import { createAuthAccounts } from './api/accounts.ts'
import type { AuthAccounts } from './api/accounts.ts'
import { issueToken } from './api/issue-token.ts'
import { getSessionOfRequest, getTokenOfRequest } from './api/get-session.ts'
import type { GetSessionOptions, CurrentSession } from './api/get-session.ts'
import { createAuthSessions } from './api/sessions.ts'
import type { AuthSessions } from './api/sessions.ts'
import type { AuthConfig, DefaultSession, SessionTypes } from './config.ts'
import type { SessionToken, UntypedToken } from './session/session-token.ts'
import { Context } from './context.ts'
import { ConfigurationError } from './errors.ts'
import { createHandle } from './handle.ts'
import type { Handle } from './handle.ts'
import { answerInTime } from './lib/deadline.ts'
import { createService } from './service.ts'
import { keepService } from './auth-services.ts'
import type { IssuedToken } from './tokens/token-issuer.ts'

/**
 * A sign-in service.
 *
 * @typeParam Session What clients see: the result of `callbacks.session`
 * @typeParam Token What a session carries: the result of `callbacks.jwt`
 */
export interface Auth<Session = DefaultSession, Token extends SessionToken = SessionToken> {
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
   * Returns the session of any request of the application, as its clients see it, and the headers to
   * append to the response: a session that is due is renewed here too (I-35).
   *
   * @throws AuthError `Configuration` if the request's origin is not trusted, `Callback` if a callback
   *   throws, `Unavailable` if the storage fails
   */
  readonly getSession: (
    request: Request,
    options?: GetSessionOptions,
  ) => Promise<CurrentSession<Session>>
  /**
   * Returns what the session of a request carries, as `callbacks.jwt` returned it: for the server alone,
   * since no client sees it (I-46). Null if there is no session. It is a read: nothing is renewed,
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
   * Returns an access token for the API of a provider: that of the user's account, refreshed if it has
   * expired. A refresh token is used once, whatever the number of concurrent requests; if the session
   * keeps the tokens (`session.accessTokens`), once in each process, and `headers` set its cookie after a
   * refresh. Null if there is no session, or the user has no account there (I-46).
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
    options?: {
      /** The account, if the user has several there. Default: the oldest */
      readonly providerAccountId?: string
    },
  ) => Promise<AccessToken | null>
  /**
   * Issues a token for an API to the user of a request's session (I-47), as `POST /token` does. Null if
   * there is no session. Only for a request whose response does not show the token to another site.
   *
   * If the session is due for renewal, its user must exist and `callbacks.jwt` decides what the token says,
   * at most once a minute in a process. Nothing is written: `GET /session` renews the session (I-58).
   *
   * @example
   *   import type { Auth } from '@latchkey/core'
   *
   *   declare const auth: Auth
   *   async function getOrders(request: Request): Promise<Response> {
   *     const issued = await auth.issueToken(request)
   *     if (!issued) return new Response('Sign in first', { status: 401 })
   *     const headers = { authorization: `Bearer ${issued.token}` }
   *     return fetch('https://api.example.com/orders', { headers })
   *   }
   *
   * @throws AuthError `Callback` if `callbacks.jwt` or `tokens.claims` throws, or the latter returns a
   *   registered claim; `Unavailable` if the storage fails
   * @throws ConfigurationError without the option `tokens`
   */
  readonly issueToken: (request: Request) => Promise<IssuedToken | null>
  /** Lists and ends the sessions in the storage. */
  readonly sessions: AuthSessions
  /** Lists and unlinks the accounts of stored users. */
  readonly accounts: AuthAccounts
}

/**
 * Creates a sign-in service.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { github } from '@latchkey/core/providers/github'
 *
 *   const auth = createAuth({
 *     serviceUrl: 'https://example.com',
 *     secret: 'at least thirty-two random bytes, kept secret',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *   })
 *   const response = await auth.handle(new Request('https://example.com/api/auth/session'))
 *
 * @throws ConfigurationError naming the first invalid option
 */
export function createAuth<
  Session = DefaultSession,
  Token extends SessionToken = UntypedToken,
  Fields = unknown,
  Renewed extends SessionToken = Token,
  Updated extends SessionToken = Token,
  Emitted extends SessionTypes = { readonly session: Session; readonly token: Token },
>(config: AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted>): Auth<Session, Token> {
  // Inside, a session is any result of `callbacks.session`, and a token any result of `callbacks.jwt`.
  const service = createService(config as unknown as AuthConfig<unknown, SessionToken>)
  const auth: Auth<Session, Token> = {
    basePath: service.basePath,
    handle: createHandle(service),
    getSession: (request, options) =>
      answerInTime(service, getSessionOfRequest<Session>(service, request, options)),
    getToken: (request) => answerInTime(service, getTokenOfRequest<Token>(service, request)),
    async getAccessToken(request, id, { providerAccountId } = {}) {
      const provider = service.providers.get(id)
      if (!provider) throw new ConfigurationError('auth.getAccessToken', `no provider is "${id}"`)
      const ctx = new Context(service, request, {})
      const token = await answerInTime(service, getAccessToken(ctx, provider, providerAccountId))
      return token ?? null
    },
    async issueToken(request) {
      const issued = issueToken(new Context(service, request, {}))
      return (await answerInTime(service, issued)) ?? null
    },
    sessions: createAuthSessions(service),
    accounts: createAuthAccounts(service),
  }
  return keepService(auth, service)
}

export type { AccessToken } from './api/access-tokens.ts'
export type { AuthAccounts, UnlinkResult } from './api/accounts.ts'
export type { GetSessionOptions, CurrentSession } from './api/get-session.ts'
export type { AuthSessions, SessionInfo } from './api/sessions.ts'
export type {
  AuthConfig,
  Callbacks,
  DefaultSession,
  Events,
  JwtArguments,
  SessionOptions,
  SessionTypes,
  SignIn,
  SignInArguments,
  SignInEvent,
} from './config.ts'
export { AuthError, ConfigurationError } from './errors.ts'
export type { AuthErrorOptions, ErrorCode } from './errors.ts'
export type { Handle } from './handle.ts'
export { parseServiceUrl } from './http/base-url.ts'
export type { ServiceUrl } from './http/base-url.ts'
export type { CookiesOptions } from './http/cookie-names.ts'
export type { Timeouts } from './http/outbound-fetch.ts'
export type { AllowRedirect } from './http/return-url.ts'
export type { LimitsOptions } from './limits/limits.ts'
export type { PagesOptions } from './pages/custom-pages.ts'
export type { MessagesOptions } from './pages/messages.ts'
export type { LegalOptions, Palette, ThemeOptions } from './pages/theme.ts'
export type * from './ports/import-source.ts'
export type * from './ports/limiter.ts'
export type * from './ports/logger.ts'
export type * from './ports/mailer.ts'
export type * from './ports/messages.ts'
export type * from './ports/provider.ts'
export type * from './ports/records.ts'
export type * from './ports/runtime.ts'
export type * from './ports/storage.ts'
export type * from './ports/user-fields.ts'
export type { SessionImporter } from './session/session-imports.ts'
export type { SessionToken, UntypedToken } from './session/session-token.ts'
export type { ApiTokens, IssuedToken } from './tokens/token-issuer.ts'
export type { CookieAccessTokens } from './session/session-tokens.ts'
