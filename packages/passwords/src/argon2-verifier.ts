import { computeArgon2, parseArgon2 } from './argon2-hash.ts'
import type { Argon2Limits, Argon2Variant, ComputeArgon2 } from './argon2-hash.ts'
import { toUtf8 } from './bytes.ts'
import { formatPhc } from './phc.ts'
import { verifyPhc } from './phc-hasher.ts'
import { createVerifier } from './verifier.ts'
import type { PasswordVerifier } from './verifier.ts'

/** Creates a verifier from a function that computes Argon2. */
export function createArgon2Verifier(
  compute: ComputeArgon2,
  variants: readonly Argon2Variant[],
  limits: Argon2Limits,
  getUnsupportedReason: () => string | undefined,
): PasswordVerifier {
  const [id = 'argon2id'] = variants
  const parameters = { m: 65_536, t: 4, p: 1 }
  const [salt, output] = [new Uint8Array(16), new Uint8Array(32)]
  return createVerifier({
    name: 'Argon2',
    // The parameters of PHP and Laravel.
    decoy: formatPhc({ id, version: 19, parameters, salt, output }),
    parse: (hash) => parseArgon2(variants, limits, hash),
    verify: (password, hash) =>
      verifyPhc(hash, (input, length) => computeArgon2(compute, toUtf8(password), input, length)),
    getUnsupportedReason,
  })
}
