/**
 * Hashes passwords, and verifies the hashes. A hash is a text in the PHC string format, which contains the salt and the
 * parameters: one column keeps everything.
 *
 * `passwords()` gives it passwords in NFC, so that each keyboard gives the same bytes. They are never cut. Its promises must
 * settle: what takes more than ten seconds is answered with 503, and keeps its place in the queue.
 */
export interface PasswordHasher {
  /**
   * Returns the hash of a password, with a new salt.
   *
   * @throws TypeError if the password is empty, or contains NUL or a lone surrogate: several would have the same hash
   */
  readonly hash: (password: string) => Promise<string>
  /**
   * Returns whether a hash is the hash of a password: anything but `true` means no. A hash in another format, or with parameters that exceed the
   * limits of the hasher, is the hash of no password: nothing is computed for it.
   */
  readonly verify: (password: string, hash: string) => Promise<boolean>
  /**
   * A hash of no password, which costs as much as others: what an unknown name is compared with. Default: the hash of a
   * random text, made once
   */
  readonly decoy?: string
  /** Such hashes, one of each cost that stored hashes have. Default: only `decoy` */
  readonly decoys?: readonly string[]
  /**
   * Returns what it costs to compare a hash: its algorithm and parameters, without salt and output, such as
   * `$scrypt$ln=17,r=8,p=1`; undefined for other formats. Default: hashes cost the same if `needsRehash` is false
   */
  readonly getCost?: (hash: string) => string | undefined
  /** Returns whether a hash differs in format or parameters from the hashes that `hash` returns. */
  readonly needsRehash: (hash: string) => boolean
}
