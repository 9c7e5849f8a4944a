/**
 * Hashes passwords, and verifies the hashes. A hash is a text in the PHC string format, which contains the salt and the
 * parameters: one column keeps everything.
 *
 * Passwords are normalized (NFC), so that each keyboard gives the same bytes, and never cut.
 */
export interface PasswordHasher {
  /**
   * Returns the hash of a password, with a new salt.
   *
   * @throws TypeError if the password is empty, or contains NUL or a lone surrogate: several would have the same hash
   */
  readonly hash: (password: string) => Promise<string>
  /**
   * Returns whether a hash is the hash of a password. A hash in another format, or with parameters that exceed the
   * limits of the hasher, is the hash of no password: nothing is computed for it.
   */
  readonly verify: (password: string, hash: string) => Promise<boolean>
  /**
   * A hash of no password, which costs as much as others: what an unknown name is compared with. Default: the hash of a
   * random text, made once
   */
  readonly decoy?: string
  /** Returns whether a hash differs in format or parameters from the hashes that `hash` returns. */
  readonly needsRehash: (hash: string) => boolean
}
