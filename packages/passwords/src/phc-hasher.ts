import { equalInConstantTime, toPasswordBytes } from './bytes.ts'
import { createDecoys } from './decoys.ts'
import type { PasswordHasher } from './hasher.ts'
import { formatCost, formatPhc, toPhcDecoy } from './phc.ts'
import type { PhcHash } from './phc.ts'

/** A hash without its output. */
type PhcInput = Omit<PhcHash, 'output'>

/** A password hashing function, as {@link createPhcHasher} needs it. */
export interface PhcFunction {
  /** The function that creates the hasher. */
  readonly option: string
  /** What earlier hashes cost. */
  readonly decoys: readonly string[] | undefined
  /** What new hashes have besides the salt. */
  readonly input: Omit<PhcInput, 'salt'>
  /** Parses a hash; undefined if it is invalid or exceeds the limits. */
  readonly parse: (hash: string) => PhcHash | undefined
  readonly compute: (
    password: Uint8Array<ArrayBuffer>,
    input: PhcInput,
    length: number,
  ) => Promise<Uint8Array>
}

/** Bytes of new salts (NIST SP 800-132 §5.1). */
const SALT_BYTES = 16
/** Bytes of new hashes, as many as SHA-256 has. */
const OUTPUT_BYTES = 32

/**
 * Creates a hasher from a function.
 *
 * @throws ConfigurationError naming the option `decoys`, if it is invalid
 */
export function createPhcHasher({
  option,
  decoys: earlier = [],
  input,
  parse,
  compute,
}: PhcFunction): PasswordHasher {
  const getCost = (hash: string): string | undefined => {
    const parsed = parse(hash)
    return parsed && formatCost(parsed)
  }
  const decoy = toPhcDecoy(formatCost(input), OUTPUT_BYTES)
  const others = createDecoys({ option, getCost, toDecoy: toPhcDecoy }, earlier)
  return {
    decoy,
    decoys: [decoy, ...others],
    getCost,
    async hash(password) {
      const bytes = toPasswordBytes(password)
      if (!bytes) throw new TypeError('the password is empty, or contains NUL or a lone surrogate')
      const salted = { ...input, salt: crypto.getRandomValues(new Uint8Array(SALT_BYTES)) }
      const output = await compute(bytes, salted, OUTPUT_BYTES)
      return formatPhc({ ...salted, output: Uint8Array.from(output) })
    },
    async verify(password, hash) {
      const bytes = toPasswordBytes(password)
      return bytes
        ? verifyPhc(parse(hash), (parsed, length) => compute(bytes, parsed, length))
        : false
    },
    needsRehash(hash) {
      const { salt, output } = parse(hash) ?? {}
      if (salt?.byteLength !== SALT_BYTES || output?.byteLength !== OUTPUT_BYTES) return true
      return formatPhc({ ...input, salt, output }) !== hash
    },
  }
}

/** Returns whether the output of a hash is what is computed for the rest of it; false without a hash. */
export async function verifyPhc(
  hash: PhcHash | undefined,
  compute: (input: PhcInput, length: number) => Promise<Uint8Array>,
): Promise<boolean> {
  if (!hash) return false
  return equalInConstantTime(await compute(hash, hash.output.byteLength), hash.output)
}
