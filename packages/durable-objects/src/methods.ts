import type {
  Count,
  NewSession,
  Revocation,
  StoredSession,
  StoredStep,
  VerificationToken,
} from '@latchkey/core'

/** A session as the object of its user keeps it. */
export type KeptSession = Omit<StoredSession, 'userId'>

/** Which sessions of a user to delete: all that fulfil every condition. */
export interface SessionCondition {
  readonly ids?: readonly string[] | undefined
  readonly except?: string | undefined
  /** The account that the sessions began through. */
  readonly providerAccountId?: string | undefined
}

/** A session in the index of an account, or of a provider's session. */
export interface IndexedSession {
  readonly id: string
  readonly userId: string
}

/** The methods of an object. Times are seconds since 1970. */
export interface ObjectMethods {
  increment(key: string, window: number, now: number, by: 1 | -1): Promise<Count>

  createVerificationToken(token: VerificationToken): Promise<void>
  useVerificationToken(
    identifier: string,
    token: string,
    now: number,
  ): Promise<VerificationToken | undefined>

  createStep(step: StoredStep): Promise<void>
  takeStep(id: string, now: number): Promise<string | undefined>

  createRevocation(revocation: Revocation): Promise<void>
  getRevocation(key: string, now: number): Promise<number | undefined>

  /** Returns whether the session that it replaces was in this object: then it is deleted. */
  createSession(session: NewSession): Promise<boolean>
  /** Returns a session; without `now` it may have expired. */
  getSession(id: string, now?: number): Promise<KeptSession | undefined>
  /** Returns the sessions that have not expired. */
  listSessions(now: number): Promise<readonly KeptSession[]>
  /** Returns false if there is no such session. */
  updateSession(
    id: string,
    changes: Pick<StoredSession, 'renewedAt' | 'expires' | 'data'>,
  ): Promise<boolean>
  /** Returns the ids of the deleted sessions. */
  deleteSessions(condition: SessionCondition): Promise<readonly string[]>

  /** Stores who the user of a session is: it never changes. */
  setOwner(id: string, userId: string, expires: number): Promise<void>
  getOwner(id: string): Promise<string | undefined>

  /** Adds a session to an index. */
  addToIndex(index: string, session: IndexedSession, expires: number): Promise<void>
  listIndex(index: string): Promise<readonly IndexedSession[]>
}
