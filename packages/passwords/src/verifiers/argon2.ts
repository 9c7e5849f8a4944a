import { computeByNode, getArgon2Problem, nodeLimits } from '../argon2-node.ts'
import { createArgon2Verifier } from '../argon2-verifier.ts'
import type { PasswordVerifier, VerifierOptions } from '../verifier.ts'

export type { PasswordVerifier, VerifierOptions } from '../verifier.ts'

/**
 * Verifies Argon2id and Argon2i, as Laravel, PHP and Keycloak make it, up to 256 MiB of memory and 1 GiB in all passes.
 * It is supported by Node 24.7 and later.
 *
 * @example
 *   import { argon2 } from '@latchkey/passwords/verifiers/argon2'
 *
 *   const verifier = argon2()
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function argon2(options?: VerifierOptions): PasswordVerifier {
  const runtime = { option: 'argon2', getUnsupportedReason: getArgon2Problem }
  const variants = ['argon2id', 'argon2i'] as const
  return createArgon2Verifier(computeByNode, variants, nodeLimits, runtime, options)
}
