import type { CookieRow } from '../http/cookies.ts'
import type { Jar } from '../http/cookie-jar.ts'
import type { SessionToken } from '../config.ts'
import type { NewSession, StoredSession, StoredUser } from '../ports/records.ts'

/** A person's session. Times are seconds since 1970. */
export interface Session {
  /** New at every sign-in, the same until the session ends: CSRF tokens are bound to it. Not a secret. */
  readonly id: string
  readonly token: SessionToken
  /** A hash of the CSRF token that the sign-in was made with: other tabs began with the same one. */
  readonly madeWith: string
  readonly startedAt: number
  readonly renewedAt: number
  /** When it ends if nobody uses it. */
  readonly expires: number
  /** Whose it is, as the storage says at this moment; undefined where it was not asked. */
  readonly user?: StoredUser | undefined
  /** The User-Agent of the browser that it began in, for lists of sessions. */
  readonly agent?: string | undefined
}

/** What a session begins with. */
export type Beginning = Pick<Session, 'token' | 'madeWith' | 'agent'>

/** A session that is about to begin. */
export interface Opening {
  readonly session: Session
  /** What a storage has to keep before the browser may have the session; undefined where none has to. */
  readonly stored: NewSession | undefined
  /** What the browser will hold, where that is not the session itself. */
  readonly secret?: string
}

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
  /** Prepares a session in place of any former one (I-34). Nothing is changed. */
  open(now: number, beginning: Beginning, former: Session | undefined): Opening
  /** Gives a session to the browser, once what has to be stored of it is. */
  enter(jar: Jar, row: CookieRow, opening: Opening): Promise<void>
  /** True when a session in use has not been renewed for `updateAge`. */
  isDue(session: Session, now: number): boolean
  /** Gives the session a further `maxAge` and another token; undefined where it has ended meanwhile. */
  renew(
    jar: Jar,
    row: CookieRow,
    now: number,
    session: Session,
    token: SessionToken,
  ): Promise<Session | undefined>
  /** Ends the session. A second time is harmless (I-37). */
  end(jar: Jar, row: CookieRow, session: Session | undefined): Promise<void>
}

/** When a session that was renewed at a time ends. */
export function expiry(limits: SessionLimits, startedAt: number, renewedAt: number): number {
  return Math.min(renewedAt + limits.maxAge, startedAt + limits.absoluteMaxAge)
}

/** True when a session has not been renewed for `updateAge`. */
export function isDue(limits: SessionLimits, session: Session, now: number): boolean {
  return now - session.renewedAt >= limits.updateAge
}

/** What core keeps of a stored session besides its times. */
export interface SessionData {
  /** Absent where the session shows the user as stored. */
  readonly token?: SessionToken
  readonly madeWith?: string
  readonly agent?: string
}

/** The record of a session. */
export function toStore(session: Session, token?: SessionToken): Omit<StoredSession, 'userId'> {
  const { id, startedAt: createdAt, renewedAt, expires, madeWith, agent } = session
  return { id, createdAt, renewedAt, expires, data: JSON.stringify({ token, madeWith, agent }) }
}

/** What {@link toStore} has put into a record; nothing where the storage has not kept it whole. */
export function dataOf({ data }: StoredSession): SessionData {
  try {
    return { ...(JSON.parse(data) as SessionData) }
  } catch {
    return {} // A session is still one without what goes with it.
  }
}
