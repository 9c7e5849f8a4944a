import type { PasswordCost } from './password-work.ts'

/** A user of another service, as `importUsers` of `@latchkey/passwords/import-users` reads it. Null means: not given. */
export interface ImportedUser {
  /**
   * The user's id, which is kept: 1 to 255 characters without control characters, not the id of a provider and a
   * colon. Default: a new one; an email address that is not proven then needs a hash
   */
  readonly id?: string | null
  /** The email address. */
  readonly email: string
  /** Whether the other service has proven that the user reads the mailbox. */
  readonly emailVerified: boolean
  /** The hash of the password, as one of the configured verifiers expects it. Default: the user has no password */
  readonly hash?: string | null
  /** 1 to 255 characters without control characters. */
  readonly name?: string | null
  /** An http(s) URL of at most 2048 characters. */
  readonly image?: string | null
  /** The application's own fields, which the storage declares. Default: the defaults of the fields */
  readonly fields?: object | null
}

/**
 * Why a row is refused, and nothing is stored of it:
 *
 * - `invalid`: the row is not an object, or its `member` is missing, invalid or unknown
 * - `unknownHash`: neither the hasher nor a verifier knows the format of the hash
 * - `noDecoy`: no decoy costs as much as the hash, so that the time of a sign-in would reveal who has such a password.
 *   `problem` says what to add
 * - `idTaken`: a user with this id has another email address
 * - `emailTaken`: another user has proven the email address, or has an imported password for it
 * - `userExists`: the user has no password and gets none, because the user has another way to sign in, or because the
 *   row and the user differ in whether the email address is proven; with `addsPasswords` only if the user has proven it
 *   and the row does not
 */
export type ImportRefusal =
  'invalid' | 'unknownHash' | 'noDecoy' | 'idTaken' | 'emailTaken' | 'userExists'

/** A row that was refused. The hash is not part of it. */
export interface RefusedUser {
  /** The number of the row, from 1. */
  readonly row: number
  /** The email address; undefined if it is invalid. */
  readonly email: string | undefined
  readonly reason: ImportRefusal
  /** The invalid member, such as `name` or `fields.role`. Only for `invalid` */
  readonly member: string | undefined
  /** What to do so that the row is imported. Only for `noDecoy` */
  readonly problem: string | undefined
}

/** What the hashes of some rows cost. */
interface ImportedCost extends PasswordCost {
  /** The number of rows, refused ones too. */
  readonly rows: number
}

/** What an import has done until now. */
export interface UserImportSummary {
  /** The number of users that were stored, or got the password. */
  readonly imported: number
  /** The number of rows whose users need nothing. */
  readonly unchanged: number
  /** The number of rows that were refused. */
  readonly refused: number
  /** What the hashes of the rows cost: the decoys should be the same, no more and no fewer. */
  readonly costs: readonly ImportedCost[]
  /** False if `signal` has ended the import. */
  readonly isComplete: boolean
}

/** The options of `importUsers`. */
export interface ImportUsersOptions {
  /** Whether nothing is stored. Rows are compared with the storage, not with each other. Default: false */
  readonly dryRun?: boolean
  /**
   * Whether a user who exists with the id of a row, and signs in by other ways, gets the password too: for users who
   * were copied before, or whose passwords a function of the application has verified. If the row proves the email
   * address, the user has it verified; a user without one gets it. A password that a user has removed since comes back.
   * Default: false
   */
  readonly addsPasswords?: boolean
  /** Rows that are imported simultaneously: 1 to 100. Default: 10 */
  readonly concurrency?: number
  /** Ends the import after the rows in progress. */
  readonly signal?: AbortSignal
  /** Is called after each batch of rows. */
  readonly onProgress?: (summary: UserImportSummary) => void
  /** Is called for each row that is refused, in their order, and waited for. */
  readonly onRefused?: (refused: RefusedUser) => unknown
}
