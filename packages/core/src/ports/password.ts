import type { Logger } from './logger.ts'

/** Why a new password is refused. `unusable`: it has characters that some hashes ignore, such as NUL. */
export type PasswordProblem = 'tooShort' | 'tooLong' | 'unusable' | 'breached'

/** Who waits for a password to be compared. */
export interface PasswordCaller {
  /** Whether the user has signed in with this browser before: such callers come first. */
  readonly isKnown: boolean
}

/** Hashes and compares the passwords of one service: what `passwords()` of `@latchkey/passwords` brings along. */
export interface PasswordWork {
  /** Characters that a new password needs. */
  readonly minLength: number
  /** Characters that a new password may have. */
  readonly maxLength: number
  /** Returns why a new password is refused; undefined if it is not. */
  readonly findProblem: (
    password: string,
    log: Pick<Logger, 'warn'>,
  ) => Promise<PasswordProblem | undefined>
  /**
   * Returns the hash of a new password.
   *
   * @param before Runs once nothing else has to be waited for. If it throws, nothing is hashed.
   * @throws AuthError `Unavailable`, and `before` has not run, if other hashes take too long
   */
  readonly hash: (
    password: string,
    caller: PasswordCaller,
    before?: () => Promise<void>,
  ) => Promise<string>
  /**
   * Returns whether a hash is the hash of a password.
   *
   * @throws AuthError `Unavailable` if other hashes take too long
   */
  readonly verify: (password: string, hash: string, caller: PasswordCaller) => Promise<boolean>
  /** Returns whether a hash must be replaced, once its password is known. */
  readonly needsRehash: (hash: string) => boolean
  /** Returns whether a hash is in a format that can be compared. */
  readonly canVerify: (hash: string) => boolean
  /**
   * Returns a hash to compare with if a name is unknown, so that this costs as much as a wrong password.
   *
   * @param seed The same text for the same name. It picks one of the formats.
   */
  readonly getDecoy: (seed: string) => Promise<string>
}
