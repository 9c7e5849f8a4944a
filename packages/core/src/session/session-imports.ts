import type { StoredUser } from '../ports/records.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Log } from '../lib/log.ts'
import type { ImportSource } from '../ports/import-source.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import type { HeldSession, SessionContext } from './held-session.ts'
import type { RenewingContext } from './renew-session.ts'
import type { SessionToken } from './session-claims.ts'
import type { Session, SessionStrategy } from './session.ts'

/** Imports the sessions of previous services. It is bundled only with an importer. */
export interface SessionImports {
  /**
   * Reads a session of a previous service. Nothing changes: the session's id is an HMAC of the cookie,
   * so that every request with this cookie finds the same session.
   */
  read(ctx: RenewingContext): Promise<HeldSession | undefined>
  /**
   * Ends what a request holds of previous services: a copy of such a cookie does not sign in again. An
   * invalid cookie is not changed: it may belong to another application.
   *
   * @param session The request's session: the cookie that it may have been imported from is revoked
   * @returns The cookies to delete
   */
  spend(ctx: SessionContext, session: Session | undefined): Promise<readonly CookieChange[]>
  /** Returns the cookies of previous services to delete. */
  clear(ctx: SessionContext): readonly CookieChange[]
  /** Revokes the cookie that an imported session came from. */
  revoke(sessionId: string, now: number): Promise<void>
  /** Revokes the cookies of a user that were issued until now, except the cookie of one session. */
  revokeUser(userId: string, now: number, except?: string): Promise<void>
}

/** The import of a service without importers. */
export const noImports: SessionImports = {
  read: async () => undefined,
  spend: async () => [],
  clear: () => [],
  revoke: async () => undefined,
  revokeUser: async () => undefined,
}

type WouldStop = (storage: GuardedStorage, user: StoredUser) => Promise<boolean>

/** What {@link SessionImports} are created from. */
export interface ImportOptions {
  readonly sources: readonly ImportSource[]
  readonly signer: { signWithAll(text: string): Promise<readonly string[]> }
  readonly sessions: SessionStrategy
  readonly storage: GuardedStorage | undefined
  readonly log: Log
  /** Who decides whether a sign-in of a user would ask for more than the previous service has, or be stopped. */
  readonly capabilities: {
    readonly proven: { readonly isNeeded: WouldStop } | undefined
    readonly list: readonly { readonly admission?: { readonly stops: WouldStop } }[]
  }
  /**
   * Returns what a session carries, given what the previous session carried: the result of `callbacks.jwt`; undefined
   * if the session ends.
   */
  readonly toToken: (token: SessionToken) => Promise<SessionToken | undefined>
}

/** An element of `session.importFrom`. */
export interface SessionImporter extends ImportSource {
  /** Creates the import of all sources. An importer brings it along, so that others are not bundled with it. */
  readonly createImports: (options: ImportOptions) => SessionImports
}
