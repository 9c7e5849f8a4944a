import { sessionOf } from './actions/session.ts'
import { resolveConfig } from './service.ts'
import { Context } from './context.ts'
import { createHandle } from './handle.ts'
import type { Handle } from './handle.ts'
import { ConfigurationError } from './errors.ts'
import type { AuthConfig, DefaultSession, SessionToken } from './config.ts'
import { accessTokenOf } from './api/access-tokens.ts'
import type { AccessToken } from './api/access-tokens.ts'
import { createAuthAccounts } from './api/accounts.ts'
import type { AuthAccounts } from './api/accounts.ts'
import { createAuthSessions } from './api/sessions.ts'
import type { AuthSessions } from './api/sessions.ts'

/** A sign-in service. */
export interface Auth<Session = DefaultSession> {
  /** What the routes are relative to, e.g. `/api/auth`: sign in at `${basePath}/signin`. */
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
   * The session of any request of the application, as its clients would see it, and the headers to
   * append to the reply: a session in use is renewed here too (I-35).
   *
   * @throws AuthError `Configuration` where the request's origin is none to trust, `Callback` where
   *   a callback throws
   */
  readonly getSession: (request: Request) => Promise<CurrentSession<Session>>
  /**
   * An access token for the API of a provider: the one that the signed-in user's account came with,
   * refreshed where it has expired. One refresh token is used once, whatever the number of requests.
   * Null when nobody is signed in, or the user has no account there.
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
   * @throws AuthError `OAuthSignin` where the token has expired and cannot be refreshed: the person
   *   must sign in again
   * @throws ConfigurationError where there is no such provider, or no storage that keeps tokens
   */
  readonly getAccessToken: (
    request: Request,
    provider: string,
    options?: {
      /** Which account, where the user has several there. Default: the oldest */
      readonly providerAccountId?: string
    },
  ) => Promise<AccessToken | null>
  /** The sessions in the storage: to list them, and to end them. */
  readonly sessions: AuthSessions
  /** The accounts of stored users: to list them, and to unlink them. */
  readonly accounts: AuthAccounts
}

/** What {@link Auth.getSession} finds. */
export interface CurrentSession<Session> {
  /** Null when nobody is signed in. */
  readonly session: Session | null
  /** The session's id, as {@link Auth.sessions} lists it. */
  readonly id: string | null
  /** `Set-Cookie` lines for the reply; often none. */
  readonly headers: Headers
}

/**
 * Makes a sign-in service of a configuration.
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
 * @throws ConfigurationError naming the first option that cannot be used
 */
export function createAuth<
  Session = DefaultSession,
  Token extends SessionToken = SessionToken & Readonly<Record<string, unknown>>,
>(config: AuthConfig<Session, Token>): Auth<Session> {
  // Inside, a session is whatever `callbacks.session` gives back, and a token what `callbacks.jwt` did.
  const service = resolveConfig(config as unknown as AuthConfig<unknown, SessionToken>)
  return {
    basePath: service.basePath,
    handle: createHandle(service),
    async getSession(request) {
      const ctx = new Context(service, request, {})
      const session = ((await sessionOf(ctx)) ?? null) as Session | null
      const id = session === null ? null : ((await ctx.session())?.id ?? null)
      const headers = new Headers([...ctx.jar.lines()].map((line) => ['set-cookie', line]))
      return { session, id, headers }
    },
    async getAccessToken({ url, headers }, id, { providerAccountId } = {}) {
      const provider = service.providers.get(id)
      if (!provider) throw new ConfigurationError('auth.getAccessToken', `no provider is "${id}"`)
      // No cookie goes out from here, so that nothing of the session may be changed (I-5).
      const ctx = new Context(service, new Request(url, { method: 'HEAD', headers }), {})
      return (await accessTokenOf(ctx, provider, providerAccountId)) ?? null
    },
    sessions: createAuthSessions(service),
    accounts: createAuthAccounts(service),
  }
}

export { AuthError, ConfigurationError } from './errors.ts'
export type { AuthErrorOptions } from './errors.ts'
export type { Handle } from './handle.ts'
export type {
  AuthConfig,
  Callbacks,
  CookiesOptions,
  DefaultSession,
  Events,
  JwtArguments,
  PagesOptions,
  SessionOptions,
  SessionToken,
  SignIn,
} from './config.ts'
export type { LimitsOptions } from './limits/limits.ts'
export type { Timeouts } from './http/outbound-fetch.ts'
export type { MessagesOptions } from './pages/messages.ts'
export type { Palette, ThemeOptions } from './pages/theme.ts'
export type { ErrorCode } from './errors.ts'
export type * from './ports/limiter.ts'
export type * from './ports/logger.ts'
export type * from './ports/mailer.ts'
export type * from './ports/messages.ts'
export type * from './ports/provider.ts'
export type * from './ports/records.ts'
export type * from './ports/runtime.ts'
export type * from './ports/session-importer.ts'
export type * from './ports/storage.ts'
export type { AllowRedirect } from './http/return-url.ts'
export type { AccessToken } from './api/access-tokens.ts'
export type { AccountInfo, AuthAccounts, Unlinked } from './api/accounts.ts'
export type { AuthSessions, SessionInfo } from './api/sessions.ts'
