import type { BaseUrl } from '../http/base-url.ts'
import type { CookieJar } from '../http/cookie-jar.ts'
import type { CookieRow } from '../http/cookies.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Log } from '../lib/log.ts'
import type { ImportSource } from '../ports/import-source.ts'
import type { SessionToken } from './session-token.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import type { PendingSession, Session, SessionStrategy } from './session.ts'

/** The facts of a request that its session is read from. */
export interface SessionContext {
  readonly service: {
    readonly sessions: SessionStrategy
    readonly storage: GuardedStorage | undefined
    readonly imports: SessionImports | undefined
  }
  readonly baseUrl: BaseUrl
  readonly cookies: CookieJar
  /** Seconds since 1970. */
  readonly now: number
  readonly userAgent: string | undefined
}

/** A cookie of a former service, and how to read it. */
export interface ForeignCookie {
  readonly source: ImportSource
  readonly value: string
  readonly rows: readonly CookieRow[]
}

/** A session of a former service, as a request's cookie names it. */
export interface SessionImport {
  readonly cookie: ForeignCookie
  /** Its token is that of the former service, until `toToken` has mapped it. */
  readonly pending: PendingSession
  /** Whether the storage has the session: another request of this browser has imported it. */
  readonly isStored: boolean
  /** The id of the former service's row in the storage. */
  readonly storedId: string | undefined
}

/** A session that goes on, and the cookies to set for it. */
export interface ContinuedSession {
  readonly session: Session
  readonly cookies: readonly CookieChange[]
}

/** Imports the sessions of former services (I-45). It is bundled only with an importer. */
export interface SessionImports {
  /**
   * Reads a session of a former service. Nothing changes: the session's id is an HMAC of the cookie,
   * so that every request with this cookie finds the same session.
   */
  read(ctx: SessionContext): Promise<SessionImport | undefined>
  /**
   * Replaces an imported session by a Latchkey session, in one storage step.
   *
   * @param token What it carries from now on. Default: what `callbacks.jwt` returns
   * @returns undefined if its user no longer exists, or it was revoked
   */
  persist(
    ctx: SessionContext,
    imported: SessionImport,
    token?: SessionToken,
  ): Promise<ContinuedSession | undefined>
  /**
   * Ends what a request holds of former services: a copy of such a cookie does not sign in again. A
   * cookie that is not genuine is left alone: it may belong to another application.
   *
   * @param session The request's session: the cookie that it may have been imported from is revoked
   * @returns The cookies to delete
   */
  spend(ctx: SessionContext, session: Session | undefined): Promise<readonly CookieChange[]>
  /** Returns the cookies of former services to delete. */
  clear(ctx: SessionContext): readonly CookieChange[]
  /** Revokes the cookie that an imported session came from. */
  revoke(sessionId: string, now: number): Promise<void>
  /** Revokes the cookies issued until now of a user, except that of one session. */
  revokeUser(userId: string, now: number, except?: string): Promise<void>
  /** Returns what a session carries, given what the former one carried. */
  readonly toToken: ImportOptions['toToken']
}

/** What {@link SessionImports} are created from. */
export interface ImportOptions {
  readonly sources: readonly ImportSource[]
  readonly signer: { signWithAll(text: string): Promise<readonly string[]> }
  readonly sessions: SessionStrategy
  readonly storage: GuardedStorage | undefined
  readonly log: Log
  /** Returns what a session carries, given what the former one carried: the result of `callbacks.jwt`. */
  readonly toToken: (token: SessionToken) => Promise<SessionToken>
}

/** An element of `session.importFrom`. */
export interface SessionImporter extends ImportSource {
  /** Creates the import of all sources. An importer brings it along, so that others are not bundled with it. */
  readonly createImports: (options: ImportOptions) => SessionImports
}
