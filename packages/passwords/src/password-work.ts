import type { Logger } from '@latchkey/core'

/** Why a new password is refused. `unusable`: it has characters that some hashes ignore, such as NUL. */
export type PasswordProblem = 'tooShort' | 'tooLong' | 'unusable' | 'breached'

/** Who waits for a password to be compared. */
export interface PasswordCaller {
  /** Whether the user has signed in with this browser before: such callers come first. */
  readonly isKnown: boolean
  /** The client, which has a line: an IPv4 address, or the /64 network of an IPv6 address. Undefined: one line for all */
  readonly client: string | undefined
  /** The id of the user, if the browser proves who asks. At most one hash of a user is computed or in a line. */
  readonly user: string | undefined
  /** Receives what is wrong with the hasher or a verifier. */
  readonly log: Pick<Logger, 'error' | 'warn'>
}

/** What it costs to compare a hash. */
export interface PasswordCost {
  /** The algorithm and its parameters, without salt and output: hashes that cost the same have the same text. */
  readonly cost: string
  /** What to do so that an unknown email address can cost as much; undefined if a decoy does. */
  readonly problem: string | undefined
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
   * @throws AuthError `Unavailable`, and `before` has not run, if other hashes take too long; the same, also afterwards, if
   *   this one does
   */
  readonly hash: (
    password: string,
    caller: PasswordCaller,
    before?: () => Promise<void>,
  ) => Promise<string>
  /**
   * Returns whether a hash is the hash of a password.
   *
   * @throws AuthError `Unavailable` if this hash or others take too long
   */
  readonly verify: (password: string, hash: string, caller: PasswordCaller) => Promise<boolean>
  /** Returns whether a hash must be replaced, once its password is known. */
  readonly needsRehash: (hash: string) => boolean
  /** Returns what it costs to compare a hash; undefined if the format is unknown. */
  readonly getCost: (hash: string) => PasswordCost | undefined
  /**
   * Returns a hash to compare with if a name is unknown, so that this costs as much as a wrong password.
   *
   * @param seed The same text for the same name. It picks one of the costs.
   */
  readonly getDecoy: (seed: string) => Promise<string>
}
