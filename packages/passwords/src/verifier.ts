import { isHashable } from './bytes.ts'

/**
 * Verifies hashes that another service has made, for an import of its users. Passwords are verified as they were typed,
 * except for what that service does with them.
 */
export interface PasswordVerifier {
  /** The name of the format. */
  readonly name: string
  /** Returns whether a hash is of the format, and within the limits of what it may cost. */
  readonly matches: (hash: string) => boolean
  /** Returns whether a hash is the hash of a password; false, and nothing is computed, if it does not match. */
  readonly verify: (password: string, hash: string) => Promise<boolean>
  /** A hash of no password, with the usual parameters of that service: what an unknown name is compared with. */
  readonly decoy: string
  /** Returns why the format cannot be verified on this runtime; undefined if it can. */
  readonly getUnsupportedReason: () => string | undefined
}

/** A format, as {@link createVerifier} needs it. */
export interface HashFormat<T> {
  readonly name: string
  /** A hash of no password, with the usual parameters. */
  readonly decoy: string
  /** Parses a hash; undefined if it is invalid or exceeds the limits. */
  readonly parse: (hash: string) => T | undefined
  /** @param password Without NUL and lone surrogates, and not empty */
  readonly verify: (password: string, hash: T) => Promise<boolean>
  /** Default: the format works everywhere */
  readonly getUnsupportedReason?: () => string | undefined
}

export function createVerifier<T extends object>(format: HashFormat<T>): PasswordVerifier {
  const { name, decoy, parse, verify, getUnsupportedReason = () => undefined } = format
  return {
    name,
    decoy,
    matches: (hash) => parse(hash) !== undefined,
    async verify(password, hash) {
      const parsed = parse(hash)
      return parsed && isHashable(password) ? verify(password, parsed) : false
    },
    getUnsupportedReason,
  }
}
