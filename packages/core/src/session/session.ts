import type { SessionToken } from './session-claims.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import type {
  Authentication,
  NewSession,
  SessionAccount,
  StoredEvent,
  StoredSession,
  StoredUser,
} from '../ports/records.ts'
import type { SessionTokenKeeper, SessionTokens } from '../access-tokens/token-keeper.ts'

/**
 * How a user has satisfied `secondFactor.require`: by both factors, by an `amr` that the option `trustAmr` names, by a browser that
 * spares the second factor, or not, because it was not required.
 */
export type SatisfiedBy = 'mfa' | 'trustAmr' | 'remembered' | 'notRequired'

/** A session. Times are seconds since 1970. */
export interface Session {
  /** New at every sign-in and constant until the session ends: CSRF tokens are bound to it. Not a secret. */
  readonly id: string
  readonly token: SessionToken
  /** A hash of the CSRF token of the sign-in: other tabs may have begun with the same one. */
  readonly csrfTokenHash?: string | undefined
  readonly startedAt: number
  readonly renewedAt: number
  /** When the session ends if it is not used. */
  readonly expires: number
  /** The stored user, if it was loaded. */
  readonly user?: StoredUser | undefined
  /** The User-Agent of the browser that signed in, for lists of sessions. */
  readonly userAgent?: string | undefined
  /** The account that the session began through, if a storage keeps it. */
  readonly account?: SessionAccount | undefined
  /** The id of the previous service's row that ends with the session. */
  readonly importedFrom?: string | undefined
  /** Whether its user has no row in the storage, so that none is looked for. */
  readonly isUnstored?: boolean | undefined
  /** The tokens of the account that the session began through, if its cookie keeps them. */
  readonly tokens?: SessionTokens | undefined
  /** The ids that the session had before its last confirmations, newest first; the last one is its first id. */
  readonly replaced?: readonly string[] | undefined
  /** How its user has satisfied `secondFactor.require`; undefined if the session does not know it. */
  readonly satisfiedBy?: SatisfiedBy | undefined
  /** The latest complete authentication; undefined if it is unknown. A renewal does not change it. */
  readonly authentication?: Authentication | undefined
}

/** What a session is created from. */
export interface SessionInit extends Pick<
  Session,
  | 'token'
  | 'csrfTokenHash'
  | 'user'
  | 'userAgent'
  | 'account'
  | 'importedFrom'
  | 'tokens'
  | 'isUnstored'
  | 'replaced'
  | 'satisfiedBy'
  | 'authentication'
> {
  /** When the session began. Default: now */
  readonly startedAt?: number
  /** When it was renewed last. Default: now */
  readonly renewedAt?: number
  /** 43 characters of base64url that identify the session. Default: random */
  readonly secret?: string
}

/** A session that is not stored and not in the browser yet. */
export interface PendingSession {
  readonly session: Session
  /** What the session's id is made from. */
  readonly secret: string
  /** The record to store before the browser gets the cookie; undefined if sessions are not stored. */
  readonly record: SessionRecord | undefined
}

/** What a storage keeps of a session, without its user. */
export type SessionRecord = Omit<NewSession, 'replaces'>

/** The value of a session cookie. */
interface SessionCookie {
  readonly value: string
  /** Seconds. */
  readonly maxAge: number
}

/** How long sessions last, in seconds (I-35). */
export interface SessionLimits {
  readonly maxAge: number
  readonly updateAge: number
  readonly absoluteMaxAge: number
}

/**
 * Where sessions are kept (I-34). A strategy receives and returns values: only the reply writes the
 * cookie.
 */
export interface SessionStrategy {
  readonly limits: SessionLimits
  /** Whether the storage has everything of a session, so that its secret finds it. */
  readonly isStored: boolean
  /** Whether a session without its row in the storage has ended. */
  readonly isRevocable: boolean
  /** Undefined if sessions keep no tokens of accounts. */
  readonly accessTokens?: SessionTokenKeeper | undefined
  /**
   * Returns the session of a cookie's value; undefined if there is definitely none (I-36).
   *
   * @param mayLag Whether a replica may answer (I-34)
   */
  read(cookie: string, now: number, mayLag?: boolean): Promise<Session | undefined>
  /**
   * Returns the id that a cookie's value names, without asking the storage; undefined if it names none.
   * The session may have ended.
   */
  peekId(cookie: string, now: number): Promise<string | undefined>
  /** Returns the id of the session that a secret identifies. */
  toId(secret: string): Awaitable<string>
  /** Prepares a session. Nothing is stored. */
  prepare(init: SessionInit, now: number): Awaitable<PendingSession>
  /** Returns the cookie of a session. */
  toCookie(pending: Pick<PendingSession, 'session' | 'secret'>, now: number): Promise<SessionCookie>
  /** Extends a session by `maxAge` and changes its token; undefined if it has ended. */
  renew(session: Session, renewal: Renewal): Promise<Session | undefined>
  /**
   * Ends a session. Idempotent (I-37).
   *
   * @param events Stored in the step, if the storage records that sessions end
   */
  end(session: Pick<Session, 'id'>, events?: readonly StoredEvent[]): Promise<void>
}

/** The options of {@link SessionStrategy.renew}. */
interface Renewal {
  readonly token: SessionToken
  /** Seconds since 1970. */
  readonly now: number
  /** Stored in the step, if the storage records that sessions are renewed. */
  readonly events?: readonly StoredEvent[] | undefined
}

/** Returns when a session ends that was renewed at a time (I-35). */
export function getExpiry(limits: SessionLimits, startedAt: number, renewedAt: number): number {
  return Math.min(renewedAt + limits.maxAge, startedAt + limits.absoluteMaxAge)
}

/** Returns whether a session was last renewed `updateAge` ago or earlier. */
export function isDue({ updateAge }: SessionLimits, session: Session, now: number): boolean {
  return now - session.renewedAt >= updateAge
}

/**
 * Returns whether a replica has a session as it is (I-34): it was renewed longer ago than replicas lag, and is
 * not due, so that a renewal never stores what a replica said.
 */
export function isSettled({ updateAge }: SessionLimits, age: number, maxLag: number = 0): boolean {
  return age > maxLag && age < updateAge
}

/** Returns a session with its times set. */
export function createSession(
  init: SessionInit,
  {
    id,
    limits,
    now,
  }: { readonly id: string; readonly limits: SessionLimits; readonly now: number },
): Session {
  const { secret: _, startedAt = now, renewedAt = now, ...rest } = init
  return { ...rest, id, startedAt, renewedAt, expires: getExpiry(limits, startedAt, renewedAt) }
}

/** The data that core keeps in a stored session besides its times. */
export interface SessionData {
  /** Absent if the session shows the user as stored. */
  readonly token?: SessionToken
  readonly csrfTokenHash?: string
  readonly userAgent?: string
  readonly importedFrom?: string
  readonly replaced?: readonly string[]
  readonly satisfiedBy?: SatisfiedBy
  readonly authentication?: Authentication
}

/** Returns the record of a session. */
export function toRecord(session: Session, token?: SessionToken): SessionRecord {
  const { id, startedAt: createdAt, renewedAt, expires } = session
  const { account, csrfTokenHash, userAgent, importedFrom, replaced } = session
  const { satisfiedBy, authentication } = session
  const kept = { csrfTokenHash, userAgent, importedFrom, replaced, satisfiedBy, authentication }
  const data = JSON.stringify({ token, ...kept })
  return { id, createdAt, renewedAt, expires, data, ...(account && { account }) }
}

/** Returns the data of a stored session; empty if the storage did not keep it. */
export function parseData({ data }: StoredSession): SessionData {
  try {
    return { ...(JSON.parse(data) as SessionData) }
  } catch {
    return {} // The session is valid without its data.
  }
}

/** Returns the ids that a stored session has, and had before its confirmations. */
export function listSessionIds(session: StoredSession): readonly string[] {
  return [session.id, ...(parseData(session).replaced ?? [])]
}

/** Returns what a session carries by default. */
export function toSessionToken(user: StoredUser): SessionToken {
  const { id, name, email, emailVerified, image } = user
  return { sub: id, name, email, email_verified: emailVerified, picture: image }
}
