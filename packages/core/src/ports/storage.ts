import type {
  Account,
  Count,
  NewSession,
  Revocation,
  StoredSession,
  StoredUser,
  Tokens,
  VerificationToken,
} from './records.ts'
import type { UserFields } from './user-fields.ts'

/** A group of methods that a {@link Storage} may leave out. */
export type Capability =
  /** `createSession`, `getSessionAndUser`, `updateSession`, `deleteSession` */
  | 'sessions'
  /** Sessions keep `createdAt`, `renewedAt` and `data`, not only `id`, `userId` and `expires`. */
  | 'sessionData'
  /** `listSessions`, `deleteSessions` */
  | 'sessionLists'
  /** Sessions keep `account`; `deleteAccountSessions` */
  | 'sessionAccounts'
  /**
   * Only verified email addresses are unique (I-38): several users may have the same unverified one.
   * Without it every email address is unique, and an identity with another user's email address is refused.
   */
  | 'unverifiedEmails'
  /** `listAccounts`, `unlinkAccount` */
  | 'accountLists'
  /** `updateAccount` */
  | 'accountUpdates'
  /** `createVerificationToken`, `useVerificationToken` */
  | 'verificationTokens'
  /** `increment` */
  | 'increment'
  /** `createRevocation`, `getRevocation` */
  | 'revocations'

/** The condition of {@link Storage.deleteAccountSessions}. Without `providerAccountId` and `sid` it matches no session. */
export interface AccountSessions {
  readonly provider: string
  /** If given, the sessions began through this account. */
  readonly providerAccountId?: string | undefined
  /** If given, the sessions belong to this session of the provider. */
  readonly sid?: string | undefined
}

/**
 * Keeps users, their accounts, their sessions and single-use tokens. Every method is one atomic step:
 * it happens completely or not at all, and concurrent calls behave as if one came first. A method
 * rejects if the storage fails; a missing or conflicting record is reported by the result instead.
 * `now` is in seconds since 1970.
 *
 * Every implementation runs the contract `@latchkey/core/testing/storage-contract`, and with fields
 * `@latchkey/core/testing/user-fields-contract`.
 *
 * `Fields` is the type of the application's own fields of a user, `{ readonly role: string }`; it is
 * inferred from the storage's option `fields`. Default: none
 */
export interface Storage<Fields = unknown> {
  /** What the storage can do. Default: everything. `createAuth` refuses options that need more. */
  readonly capabilities?: readonly Capability[]
  /**
   * The application's own fields that the storage keeps with each user. Only these can be set by a
   * provider's `profile()`. Default: none
   */
  readonly fields?: UserFields<Fields> | undefined

  /**
   * Creates a user, with the first account and session if they are given. Fields that are not given have
   * their defaults; a value of the wrong type rejects, and nothing is stored.
   *
   * @returns The stored user, whose id may differ; undefined, and nothing stored, if another user has the
   *   id or the account, or the email address is verified and another user has verified it
   */
  createUser(
    user: StoredUser & Partial<Fields>,
    account?: Account,
    session?: NewSession,
  ): Promise<(StoredUser & Fields) | undefined>
  /** Returns the user with this id. */
  getUser(id: string): Promise<(StoredUser & Fields) | undefined>
  /**
   * Returns the user who has verified this email address. Without the capability `unverifiedEmails`,
   * also a user who has it unverified.
   */
  getUserByEmail(email: string): Promise<(StoredUser & Fields) | undefined>
  /** Returns the user to whom an account is linked. */
  getUserByAccount(
    provider: string,
    providerAccountId: string,
  ): Promise<(StoredUser & Fields) | undefined>
  /**
   * Changes a user. A new `email` is unverified unless `emailVerified` is given too: the previous
   * value describes the previous email address. A field's value of the wrong type rejects, and nothing changes.
   *
   * @returns undefined, and nothing changed, if there is no such user, or the email address is then
   *   verified and another user has verified it
   */
  updateUser(
    id: string,
    changes: Partial<Omit<StoredUser, 'id'>> & Partial<Fields>,
  ): Promise<(StoredUser & Fields) | undefined>
  /** Deletes a user with all accounts and sessions. Idempotent. */
  deleteUser(id: string): Promise<void>

  /**
   * Links an account.
   *
   * @param verifiedEmail The verified email address that the user must still have
   * @returns False, and nothing changed, if the account is linked already, there is no such user, or the
   *   user has a different or an unverified email address
   */
  linkAccount(userId: string, account: Account, verifiedEmail?: string): Promise<boolean>
  /** Returns a user's accounts, oldest first. */
  listAccounts(userId: string): Promise<readonly Account[]>
  /**
   * Overwrites the given tokens of an account; the others stay. A new `access_token` without
   * `expires_at` also removes the previous `expires_at`.
   *
   * @param expected The refresh token that the account must still have; false, and nothing changed, if
   *   it has another
   */
  updateAccount(
    provider: string,
    providerAccountId: string,
    tokens: Tokens,
    expected?: string,
  ): Promise<boolean>
  /** Removes an account of a user. False, and nothing changed, if it is the user's last account. */
  unlinkAccount(userId: string, provider: string, providerAccountId: string): Promise<boolean>

  /** Creates a session. False, and nothing changed, if there is no such user. */
  createSession(userId: string, session: NewSession): Promise<boolean>
  /** Returns a session that has not expired, and its user, in one query. */
  getSessionAndUser(
    id: string,
    now: number,
  ): Promise<{ readonly session: StoredSession; readonly user: StoredUser & Fields } | undefined>
  /** Changes a session. False if the session has ended. */
  updateSession(
    id: string,
    changes: Pick<StoredSession, 'renewedAt' | 'expires' | 'data'>,
  ): Promise<boolean>
  /** Deletes a session. Idempotent. */
  deleteSession(id: string): Promise<void>
  /** Returns a user's sessions that have not expired, newest first. */
  listSessions(userId: string, now: number): Promise<readonly StoredSession[]>
  /** Deletes all sessions of a user, except one if it is given. */
  deleteSessions(userId: string, except?: string): Promise<void>
  /**
   * Deletes sessions by the account that they began through (I-48). Idempotent.
   *
   * @returns The ids of the deleted sessions
   */
  deleteAccountSessions(sessions: AccountSessions): Promise<readonly string[]>

  /** Stores a single-use token. */
  createVerificationToken(token: VerificationToken): Promise<void>
  /** Removes a token and returns it to exactly one caller; undefined if it has expired. */
  useVerificationToken(
    identifier: string,
    token: string,
    now: number,
  ): Promise<VerificationToken | undefined>

  /**
   * Counts a key. The window of `window` seconds begins with the first count.
   *
   * @param by -1 takes back what was counted at `now`: nothing if a later window has begun. Whatever it
   *   is, a new window begins at 1. Default: 1
   */
  increment(key: string, window: number, now: number, by?: 1 | -1): Promise<Count>

  /**
   * Records that something is revoked. A key that is revoked already keeps the later `revokedAt` and
   * the later `expires`.
   */
  createRevocation(revocation: Revocation): Promise<void>
  /**
   * Returns when a key was revoked, in seconds since 1970; undefined if it was not, or if the record has
   * expired at `now`.
   */
  getRevocation(key: string, now: number): Promise<number | undefined>
}
