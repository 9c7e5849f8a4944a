import type { BaseUrl } from '../http/base-url.ts'
import type { CookieJar } from '../http/cookie-jar.ts'
import { setSessionCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { StoredEvent } from '../ports/records.ts'
import type { SessionToken } from './session-claims.ts'
import type { PendingSession, Session, SessionStrategy } from './session.ts'

/** The facts of a request that its session is read from. */
export interface SessionContext {
  readonly service: {
    readonly sessions: SessionStrategy
  }
  readonly baseUrl: BaseUrl
  readonly cookies: CookieJar
  /** Seconds since 1970. */
  readonly now: number
  readonly userAgent: string | undefined
}

/** A session that continues, and the cookies to set for it. */
export interface ContinuedSession {
  readonly session: Session
  readonly cookies: readonly CookieChange[]
}

/**
 * The session that a request holds, and how it continues: our own session is renewed, a session of a
 * previous service is imported. Reading it changes nothing.
 */
export interface HeldSession {
  /** Undefined if the request holds none. */
  readonly session: Session | undefined
  /** What a caller must allow, so that the session continues. */
  readonly continuesBy: 'renews' | 'imports'
  /** The id of the stored session that ends when another one begins. */
  readonly replaces: string | undefined
  /** Returns the session with the token that the application knows: `callbacks.jwt` maps an imported one. */
  toShown(): Promise<Session | undefined>
  /**
   * Continues the session: renews it if it is due, or imports it, in one storage step.
   *
   * @param token What it carries from now on; it is then renewed in any case. Default: what
   *   `callbacks.jwt` returns
   * @param events Stored in the step
   * @returns undefined if the session has ended meanwhile
   */
  continue(
    token?: SessionToken,
    events?: readonly StoredEvent[],
  ): Promise<ContinuedSession | undefined>
  /** Imports the session, and returns the cookies that follow. Changes nothing if it is our own. */
  settle(): Promise<readonly CookieChange[]>
  /**
   * Ends the session in the storage. Idempotent.
   *
   * @param events Stored in the step
   */
  end(events?: readonly StoredEvent[]): Promise<void>
}

/**
 * Returns the cookie of a session whose tokens this process has refreshed since the request's cookie was
 * set; often none. The session is not renewed.
 */
export async function getTokenCookies(
  ctx: SessionContext,
  session: Session,
): Promise<readonly CookieChange[]> {
  const { tokens } = session
  const newest = tokens && (await ctx.service.sessions.accessTokens?.getNewest(tokens))
  return newest && newest !== tokens ? [await enter(ctx, { session, secret: '' })] : []
}

/** Returns the change that sets the cookie of a session. */
export async function enter(
  { service, baseUrl, now }: SessionContext,
  pending: Pick<PendingSession, 'session' | 'secret'>,
): Promise<CookieChange> {
  const { value, maxAge } = await service.sessions.toCookie(pending, now)
  const { token, tokens } = pending.session
  return setSessionCookie(baseUrl.cookies.session, value, maxAge, { ...token, tokens })
}
