import type { CookieRow } from './cookies.ts'
import { base64urlOf } from './encoding.ts'
import type { Jar } from './jar.ts'
import type { SessionToken } from './options.ts'
import type { Runtime } from './ports.ts'
import type { Sealer } from './seal.ts'

/** A person's session. Times are seconds since 1970. */
export interface Session {
  /** Random, new at every sign-in, the same until the session ends: CSRF tokens are bound to it. */
  readonly id: string
  readonly token: SessionToken
  /** A hash of the CSRF token that the sign-in was made with: other tabs began with the same one. */
  readonly madeWith: string
  readonly startedAt: number
  readonly renewedAt: number
  /** When it ends if nobody uses it. */
  readonly expires: number
}

/** What a session begins with. */
export type Begun = Pick<Session, 'token' | 'madeWith'>

/** How long sessions last, in seconds (I-35). */
export interface SessionLimits {
  readonly maxAge: number
  readonly updateAge: number
  readonly absoluteMaxAge: number
}

/** Where sessions are kept (I-34). Each verb works on the session cookie of one request. */
export interface Sessions {
  /**
   * The session of the cookie, or undefined. A cookie that holds none for certain is deleted (I-36).
   *
   * @param now Seconds since 1970
   */
  read(jar: Jar, row: CookieRow, now: number): Promise<Session | undefined>
  /** Begins a session in place of any former one (I-34). */
  start(jar: Jar, row: CookieRow, now: number, begun: Begun): Promise<Session>
  /** True when a session in use has not been renewed for `updateAge`. */
  isDue(session: Session, now: number): boolean
  /** Gives the session a further `maxAge` and another token. */
  renew(
    jar: Jar,
    row: CookieRow,
    now: number,
    session: Session,
    token: SessionToken,
  ): Promise<Session>
  /** Ends the session. A second time is harmless (I-37). */
  end(jar: Jar, row: CookieRow): Promise<void>
}

/** Sessions that live in their cookie, encrypted. Nothing is asked, so nothing but time ends a copy. */
export function createCookieSessions(
  sealer: Sealer,
  limits: SessionLimits,
  random: Runtime['random'],
): Sessions {
  const write = async (jar: Jar, row: CookieRow, session: Session): Promise<Session> => {
    const { expires, renewedAt, ...content } = session
    const sealed = await sealer.seal({ ...content, iat: renewedAt }, expires)
    jar.set(row, sealed, expires - renewedAt)
    return session
  }
  return {
    async read(jar, row, now) {
      const sealed = jar.get(row.name)
      if (sealed === undefined) return undefined
      const session = withinLimits(await sealer.open(sealed, now), limits, now)
      if (!session) jar.clear(row)
      return session
    },
    start(jar, row, now, begun) {
      const id = base64urlOf(random(16))
      const expires = expiry(limits, now, now)
      return write(jar, row, { ...begun, id, startedAt: now, renewedAt: now, expires })
    },
    isDue: (session, now) => now - session.renewedAt >= limits.updateAge,
    renew(jar, row, now, session, token) {
      const expires = expiry(limits, session.startedAt, now)
      return write(jar, row, { ...session, token, renewedAt: now, expires })
    },
    async end(jar, row) {
      jar.clear(row)
    },
  }
}

function expiry(limits: SessionLimits, startedAt: number, renewedAt: number): number {
  return Math.min(renewedAt + limits.maxAge, startedAt + limits.absoluteMaxAge)
}

/** The limits of today hold for cookies of yesterday too. */
function withinLimits(
  content: Readonly<Record<string, unknown>> | undefined,
  limits: SessionLimits,
  now: number,
): Session | undefined {
  if (!content) return undefined
  const {
    id,
    token,
    madeWith,
    startedAt,
    iat: renewedAt,
    exp,
  } = content as unknown as SealedSession
  const expires = Math.min(exp, expiry(limits, startedAt, renewedAt))
  return expires > now ? { id, token, madeWith, startedAt, renewedAt, expires } : undefined
}

interface SealedSession {
  readonly id: string
  readonly token: SessionToken
  readonly madeWith: string
  readonly startedAt: number
  readonly iat: number
  readonly exp: number
}
