import type {
  Account,
  AccountChanges,
  Count,
  Factor,
  FactorChanges,
  NewFactor,
  NewSession,
  Revocation,
  StoredEvent,
  StoredSession,
  StoredStep,
  StoredUser,
  TakenEvent,
  VerificationToken,
} from './records.ts'
import type { Clients, Grants } from './grants.ts'
import type { UserFields } from './user-fields.ts'

/** What {@link Storage.storedUsers} is: `createAuth` reads it. */
export interface StoredUsers {
  readonly guardStorage: (...args: never[]) => object
}

/** A group of methods that a {@link Storage} may leave out. */
export type StorageGroup =
  /** `createSession`, `getSessionAndUser`, `updateSession`, `deleteSession` */
  | 'sessions'
  /** Sessions keep `createdAt`, `renewedAt` and `data`, not only `id`, `userId` and `expires`. */
  | 'sessionData'
  /** `listSessions`, `deleteSessions` */
  | 'sessionLists'
  /** Sessions keep `account`; `deleteAccountSessions` */
  | 'sessionAccounts'
  /**
   * Only verified email addresses are unique: several users may have the same unverified one.
   * Without it every email address is unique, and an identity with another user's email address is refused.
   */
  | 'unverifiedEmails'
  /** `listUsers` */
  | 'userLists'
  /** `listAccounts`, `unlinkAccount` */
  | 'accountLists'
  /** `updateAccount` */
  | 'accountUpdates'
  /** Accounts keep `createdAt` and `lastUsedAt`: `createSession` and `updateAccount` change the latter. */
  | 'accountTimes'
  /** `createVerificationToken`, `useVerificationToken` */
  | 'verificationTokens'
  /** `increment` */
  | 'increment'
  /** `createRevocation`, `getRevocation` */
  | 'revocations'
  /**
   * Methods store the `events` that they receive, and `createUser` keeps the id that it receives;
   * `takeEvents`, `postponeEvent`, `deleteEvents`, `purgeEvents`
   */
  | 'outbox'
  /**
   * `createFactor`, `getFactorAndUser`, `listFactors`, `updateFactor`, `deleteFactor`; `createUser` stores the
   * factors that it receives, and then keeps the id of the user; `deleteUser` deletes factors; `linkAccount` and
   * `unlinkAccount` count factors as ways to sign in
   */
  | 'factors'
  /** `createStep`, `takeStep` */
  | 'steps'
  /** `listUsersByEmail`, `joinUser` */
  | 'unverifiedUsers'
  /**
   * `createGrant`, `getGrantAndUser`, `getGrantByKey`, `updateGrant`, `deleteGrant`, `listGrants`, `deleteGrants`;
   * `deleteUser` and `joinUser` delete grants
   */
  | 'grants'
  /** `createClient`, `getClient`, `updateClient`, `deleteClient`, `listClients` */
  | 'clients'

/** The method of the capability `userLists`. A storage that lacks it leaves it out. */
export interface UserLists<Fields = unknown> {
  /**
   * Returns users in the order of their ids, as the database compares them. Pages that follow each other have
   * every user once who is stored meanwhile, whatever other users are created or deleted.
   *
   * @param limit The maximum number of users
   * @param after The id of the last user of the previous page, who may be deleted. Default: the first page
   */
  listUsers(limit: number, after?: string): Promise<readonly (StoredUser & Fields)[]>
}

/**
 * The methods of the capability `unverifiedUsers`, which needs `unverifiedEmails`. A storage that lacks it
 * leaves them out.
 */
export interface UnverifiedUsers<Fields = unknown> {
  /**
   * Returns users who have this email address, verified or not, compared exactly.
   *
   * @param limit The maximum number of users
   */
  listUsersByEmail(email: string, limit: number): Promise<readonly (StoredUser & Fields)[]>
  /**
   * Marks the email address of its only user as verified, and deletes by what another person could sign in: all sessions,
   * factors and grants of the user, and all accounts but those to keep.
   *
   * @param email The email address that the user must still have, unverified, and no other user
   * @returns The user; undefined, and nothing changed, if there is no such user
   */
  joinUser(
    id: string,
    email: string,
    kept: readonly AccountKey[],
    events?: readonly StoredEvent[],
  ): Promise<(StoredUser & Fields) | undefined>
}

/** What identifies an account. */
export type AccountKey = Pick<Account, 'provider' | 'providerAccountId'>

/** What {@link Factors.deleteFactor} has done. `last`: nothing, because it is the user's last way to sign in. */
export type DeletedFactor = 'deleted' | 'absent' | 'last'

/**
 * The methods of the capability `factors`. A storage that lacks it leaves them out. The ways to sign in
 * are a user's accounts and the factors of the types that the service declares: it lists them in the calls that count.
 */
export interface Factors<Fields = unknown> {
  /**
   * Creates a factor.
   *
   * @returns False, and nothing changed, if there is no such user, or a factor has this type and id
   */
  createFactor(userId: string, factor: NewFactor, events?: readonly StoredEvent[]): Promise<boolean>
  /** Returns a factor and its user, in one query. */
  getFactorAndUser(
    type: string,
    id: string,
  ): Promise<{ readonly factor: Factor; readonly user: StoredUser & Fields } | undefined>
  /** Returns a user's factors, oldest first. */
  listFactors(userId: string): Promise<readonly Factor[]>
  /**
   * Changes the given members of a factor, and its version.
   *
   * @param expectedVersion The version that the factor must still have
   * @returns False, and nothing changed, if it has another version, or there is no such factor
   */
  updateFactor(
    type: string,
    id: string,
    expectedVersion: string,
    changes: FactorChanges,
    events?: readonly StoredEvent[],
  ): Promise<boolean>
  /**
   * Deletes a factor of a user, unless it is the user's last way to sign in.
   *
   * @param signsInBy The types of the factors that are ways to sign in. Default: `password` and `passkey`
   */
  deleteFactor(
    userId: string,
    type: string,
    id: string,
    events?: readonly StoredEvent[],
    signsInBy?: readonly string[],
  ): Promise<DeletedFactor>
}

/** The methods of the capability `steps`. A storage that lacks it leaves them out. */
export interface Steps {
  /**
   * Stores what an unfinished sign-in needs to complete. Steps that have expired are deleted sometime: with each new
   * one, or by a sweep.
   *
   * @param now Seconds since 1970
   * @throws If `data` has more than 64 KiB
   */
  createStep(step: StoredStep, now: number): Promise<void>
  /**
   * Removes a step and returns its `data` to exactly one caller.
   *
   * @returns Undefined if it was taken or has expired
   */
  takeStep(id: string, now: number): Promise<string | undefined>
}

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
 * With the capability `outbox` a method stores its `events` in the same step: all of them, or none if
 * it changes nothing because a record is missing or conflicts. A method that deletes is idempotent, and
 * stores them in any case. Without the capability it never receives any.
 *
 * Every implementation runs the contract `@latchkey/testing/storage-contract`, and with fields
 * `@latchkey/testing/user-fields-contract`.
 *
 * `Fields` is the type of the application's own fields of a user, `{ readonly role: string }`; it is
 * inferred from the storage's option `fields`. Default: none
 */
export interface Storage<Fields = unknown>
  extends
    Partial<UserLists<Fields>>,
    Partial<Factors<Fields>>,
    Partial<Steps>,
    Partial<UnverifiedUsers<Fields>>,
    Partial<Grants<Fields>>,
    Partial<Clients> {
  /** `storedUsers` of `@latchkey/core/storage`: the code for users in a storage, which comes with the storage. */
  readonly storedUsers: StoredUsers
  /**
   * What the storage can do. Default: everything; `userLists`, `factors`, `steps`, `unverifiedUsers`, `grants` and `clients` only with
   * their methods. `createAuth` refuses options that need more.
   */
  readonly capabilities?: readonly StorageGroup[]
  /**
   * The application's own fields that the storage keeps with each user. Only these can be set by a
   * provider's `profile()`. Default: none
   */
  readonly fields?: UserFields<Fields> | undefined
  /**
   * Seconds by which a replica may lag, if some reads are answered by replicas: those that allow it.
   * Default: every read sees every write before it
   */
  readonly maxLag?: number | undefined

  /**
   * Creates a user, with the first account, session and factors if they are given. Fields that are not given have
   * their defaults; a value of the wrong type rejects, and nothing is stored.
   *
   * @param factors Only with the capability `factors`; the id of the user then does not differ
   * @returns The stored user, whose id may differ; undefined, and nothing stored, if another user has the
   *   id, the account or one of the factors, or the email address is verified and another user has verified it
   */
  createUser(
    user: StoredUser & Partial<Fields>,
    account?: Account,
    session?: NewSession,
    events?: readonly StoredEvent[],
    ...factors: readonly NewFactor[]
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
    events?: readonly StoredEvent[],
  ): Promise<(StoredUser & Fields) | undefined>
  /** Deletes a user with all accounts, sessions, factors and grants. Idempotent. */
  deleteUser(id: string, events?: readonly StoredEvent[]): Promise<void>

  /**
   * Links an account.
   *
   * @param verifiedEmail The verified email address that the user must still have; null if the user must
   *   have neither a way to sign in nor a verified email address
   * @param backups Types of factors that are no ways to sign in: with null, all other factors count. Default: only
   *   `password` and `passkey` count
   * @returns False, and nothing changed, if the account is linked already, there is no such user, or the
   *   user has a different or an unverified email address; with null, a way to sign in or a verified one
   */
  linkAccount(
    userId: string,
    account: Account,
    verifiedEmail?: string | null,
    events?: readonly StoredEvent[],
    backups?: readonly string[],
  ): Promise<boolean>
  /** Returns a user's accounts, oldest first. */
  listAccounts(userId: string): Promise<readonly Account[]>
  /**
   * Overwrites the given members of an account; the others stay. A new `access_token` without
   * `expires_at` also removes the previous `expires_at`.
   *
   * @param expected The refresh token that the account must still have; false, and nothing changed, if
   *   it has another
   */
  updateAccount(
    provider: string,
    providerAccountId: string,
    changes: AccountChanges,
    expected?: string,
  ): Promise<boolean>
  /**
   * Removes an account of a user.
   *
   * @param signsInBy The types of the factors that are ways to sign in. Default: `password` and `passkey`
   * @returns False, and nothing changed, if it is the user's last way to sign in
   */
  unlinkAccount(
    userId: string,
    provider: string,
    providerAccountId: string,
    events?: readonly StoredEvent[],
    signsInBy?: readonly string[],
  ): Promise<boolean>

  /**
   * Creates a session. If it names an account of the user that was last used before `createdAt` of the session, the account
   * was last used then.
   *
   * @returns False, and nothing changed, if there is no such user
   */
  createSession(
    userId: string,
    session: NewSession,
    events?: readonly StoredEvent[],
  ): Promise<boolean>
  /**
   * Returns a session that has not expired, and its user, in one query.
   *
   * @param mayLag Whether a replica may answer: `maxLag` seconds ago the session was as it is, if it has not
   *   ended since. A session that the replica does not have, or that it has seen begin or renewed within
   *   `maxLag`, is read again without it. Default: false
   */
  getSessionAndUser(
    id: string,
    now: number,
    mayLag?: boolean,
  ): Promise<{ readonly session: StoredSession; readonly user: StoredUser & Fields } | undefined>
  /** Changes a session. False if the session has ended. */
  updateSession(
    id: string,
    changes: Pick<StoredSession, 'renewedAt' | 'expires' | 'data'>,
    events?: readonly StoredEvent[],
  ): Promise<boolean>
  /** Deletes a session. Idempotent. */
  deleteSession(id: string, events?: readonly StoredEvent[]): Promise<void>
  /** Returns a user's sessions that have not expired, newest first. */
  listSessions(userId: string, now: number): Promise<readonly StoredSession[]>
  /** Deletes all sessions of a user, except one if it is given. */
  deleteSessions(userId: string, except?: string, events?: readonly StoredEvent[]): Promise<void>
  /**
   * Deletes sessions by the account that they began through. Idempotent.
   *
   * @param events Are stored with the ids of the deleted sessions; not without a condition
   * @returns The ids of the deleted sessions
   */
  deleteAccountSessions(
    sessions: AccountSessions,
    events?: readonly StoredEvent[],
  ): Promise<readonly string[]>

  /**
   * Stores a single-use token.
   *
   * @throws If it is stored already with another `expires`: a second call does not prolong it. With the same
   *   `expires`, as when a client repeats a call whose reply was lost, it may succeed
   */
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

  /**
   * Takes events that are due and have not expired, the earliest first. An event is due when it is created.
   * Once it is taken, no other call takes it for `lease` seconds; then it is due again.
   *
   * @param limit The maximum number of events
   */
  takeEvents(limit: number, lease: number, now: number): Promise<readonly TakenEvent[]>
  /**
   * Makes an event that was taken due at another time.
   *
   * @param attempts The number that `takeEvents` returned
   * @param due Seconds since 1970
   * @returns False, and nothing changed, if the event was taken again or deleted meanwhile
   */
  postponeEvent(id: string, attempts: number, due: number): Promise<boolean>
  /** Deletes events. Idempotent. */
  deleteEvents(ids: readonly string[]): Promise<void>
  /**
   * Deletes events that have expired, taken or not, the earliest first. Of concurrent calls one returns each
   * event.
   *
   * @param limit The maximum number of events
   * @returns The deleted events
   */
  purgeEvents(limit: number, now: number): Promise<readonly StoredEvent[]>
}
