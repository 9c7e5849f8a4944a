import { ConfigurationError } from '@latchkey/core'
import { isHashable } from './bytes.ts'
import { createDecoys } from './decoys.ts'
import { checkKnownNames } from '@latchkey/core/capability/options'

/**
 * Verifies hashes that another service has made, for an import of its users. Passwords are verified as they were typed,
 * except for what that service does with them.
 */
export interface PasswordVerifier {
  /** The name of the format. */
  readonly name: string
  /** Returns whether a hash is of the format, and within the limits of what it may cost. */
  readonly matches: (hash: string) => boolean
  /**
   * Returns whether a hash is the hash of a password, anything but `true` means no; false, and nothing is computed, if it
   * does not match.
   */
  readonly verify: (password: string, hash: string) => Promise<boolean>
  /** A hash of no password: what an unknown name is compared with. */
  readonly decoy: string
  /** Such hashes, one of each cost that imported hashes have. Default: only `decoy` */
  readonly decoys?: readonly string[]
  /**
   * Returns what it costs to compare a hash that matches: its algorithm and parameters, without salt and output. Default:
   * all hashes of the format cost the same
   */
  readonly getCost?: (hash: string) => string
  /** Returns why the format cannot be verified on this runtime; undefined if it can. */
  readonly getUnsupportedReason: () => string | undefined
}

/** The options of verifiers whose hashes can have different costs. */
export interface VerifierOptions {
  /**
   * What the imported hashes cost, as `importUsers` reports it: an unknown email address then takes as long as one of their
   * users. Default: the usual parameters of the other service
   */
  readonly decoys?: readonly string[]
}

/** A format, as {@link createVerifier} needs it. */
export interface HashFormat<T> {
  readonly name: string
  /** The function that creates the verifier. */
  readonly option: string
  /** Parses a hash; undefined if it is invalid or exceeds the limits. */
  readonly parse: (hash: string) => T | undefined
  /** What a hash costs with the usual parameters. */
  readonly cost: string
  /** Returns what a hash costs. */
  readonly getCost: (hash: T) => string
  /** Returns a hash of no password that costs as much; any text if the cost is invalid. */
  readonly toDecoy: (cost: string) => string
  /** @param password Without NUL and lone surrogates, and not empty */
  readonly verify: (password: string, hash: T) => Promise<boolean>
  /** Default: the format works everywhere */
  readonly getUnsupportedReason?: () => string | undefined
}

/** @throws ConfigurationError naming the option, if one is invalid */
export function createVerifier<T extends object>(
  format: HashFormat<T>,
  options: VerifierOptions = {},
): PasswordVerifier {
  const { name, option, parse, verify, toDecoy, getUnsupportedReason = () => undefined } = format
  checkKnownNames(option, options, ['decoys'])
  const getCost = (hash: string): string | undefined => {
    const parsed = parse(hash)
    return parsed && format.getCost(parsed)
  }
  // The usual cost can exceed the limits of a runtime that does not support the format.
  const decoys = options.decoys
    ? createDecoys({ option, getCost, toDecoy }, options.decoys)
    : [toDecoy(format.cost)]
  const [decoy] = decoys
  if (decoy === undefined) throw new ConfigurationError(`${option}.decoys`, 'must have a cost')
  return {
    name,
    decoy,
    decoys,
    getCost: (hash) => getCost(hash) ?? name,
    matches: (hash) => parse(hash) !== undefined,
    async verify(password, hash) {
      const parsed = parse(hash)
      return parsed && isHashable(password) ? verify(password, parsed) : false
    },
    getUnsupportedReason,
  }
}
