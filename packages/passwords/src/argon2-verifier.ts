import { computeArgon2, parseArgon2 } from './argon2-hash.ts'
import type { Argon2Limits, Argon2Variant, ComputeArgon2 } from './argon2-hash.ts'
import { toUtf8 } from './bytes.ts'
import { formatCost, toPhcDecoy } from './phc.ts'
import type { PhcHash } from './phc.ts'
import { verifyPhc } from './phc-hasher.ts'
import { createVerifier } from './verifier.ts'
import type { HashFormat, PasswordVerifier, VerifierOptions } from './verifier.ts'

/** Creates a verifier from a function that computes Argon2. */
export function createArgon2Verifier(
  compute: ComputeArgon2,
  variants: readonly Argon2Variant[],
  limits: Argon2Limits,
  { option, getUnsupportedReason }: Pick<HashFormat<PhcHash>, 'option' | 'getUnsupportedReason'>,
  options: VerifierOptions | undefined,
): PasswordVerifier {
  const [id = 'argon2id'] = variants
  const format: HashFormat<PhcHash> = {
    name: 'Argon2',
    option,
    // The parameters of PHP and Laravel.
    cost: formatCost({ id, version: 19, parameters: { m: 65_536, t: 4, p: 1 } }),
    getCost: formatCost,
    toDecoy: toPhcDecoy,
    parse: (hash) => parseArgon2(variants, limits, hash),
    verify: (password, hash) =>
      verifyPhc(hash, (input, length) => computeArgon2(compute, toUtf8(password), input, length)),
    ...(getUnsupportedReason && { getUnsupportedReason }),
  }
  return createVerifier(format, options)
}
