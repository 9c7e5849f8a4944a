import type { Context, Service } from '../kernel/context.ts'
import { clearCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Provider, RpInitiatedLogout } from '../ports/provider.ts'

/** What {@link LogoutCode.keepHint} makes a cookie of. */
export interface LogoutHint {
  readonly sessionId: string
  readonly idToken: string | undefined
  /** Bytes of headers that are left for the cookie. */
  readonly room: number
}

/** The URL to continue at and the cookies to set. */
export interface BegunLogout {
  readonly url: string
  readonly cookies: readonly CookieChange[]
}

/** The code that only a logout at a provider needs (I-48): it comes with the option `logout` of the provider. */
export interface LogoutCode extends RpInitiatedLogout {
  /**
   * Returns the cookie that keeps what a logout at the provider needs, for one session. The cookie of the previous
   * session is replaced.
   */
  readonly keepHint: (
    ctx: Context,
    provider: Provider,
    hint: LogoutHint,
  ) => Promise<readonly CookieChange[]>
  /** Returns the cookie with which a logout at the provider works for a session that got another id (I-51.7). */
  readonly rebindHint: (
    ctx: Context,
    previousId: string,
    session: Pick<LogoutHint, 'sessionId' | 'room'>,
  ) => Promise<readonly CookieChange[]>
  /**
   * Begins the logout at the provider. Returns the service's URL that redirects to the provider; undefined if
   * the session did not begin at a provider with the option `logout`. The ID Token stays in a cookie until
   * then: a copy of the URL, from a page or a log, does not reveal it.
   */
  readonly begin: (
    ctx: Context,
    sessionId: string,
    callbackUrl: string,
  ) => Promise<BegunLogout | undefined>
  /**
   * Returns the URL at which a logout continues: the provider's, which then redirects to the return URL.
   * Undefined if the service did not issue the state. A provider that returns none leads to the return URL
   * in the cookie. If the provider cannot be reached, the return URL: the session here has ended.
   */
  readonly getNextUrl: (ctx: Context, state: string | undefined) => Promise<string | undefined>
}

/** Returns the code of a provider; undefined without the option `logout`, whose value `createAuth` has checked. */
export function getLogoutCode({ openid }: Pick<Provider, 'openid'>): LogoutCode | undefined {
  return openid?.logout as LogoutCode | undefined
}

/** Returns the code of any provider: all of them have the same. Undefined if none has the option `logout`. */
export function findLogoutCode({ providers }: Service): LogoutCode | undefined {
  return [...providers.values()].map(getLogoutCode).find(Boolean)
}

/** Deletes what {@link LogoutCode.keepHint} kept, if the browser has it. */
export function clearLogoutHint({ cookies, baseUrl }: Context): readonly CookieChange[] {
  const { logout } = baseUrl.cookies
  return cookies.get(logout.name) === undefined ? [] : [clearCookie(logout)]
}
