import { computeByNode, getArgon2Problem, nodeLimits } from '../argon2-node.ts'
import { createArgon2Verifier } from '../argon2-verifier.ts'
import type { PasswordVerifier } from '../verifier.ts'

export type { PasswordVerifier } from '../verifier.ts'

/**
 * Verifies Argon2id and Argon2i, as Laravel, PHP and Keycloak make it, up to 256 MiB of memory and 1 GiB in all passes.
 * It is supported by Node 24.7 and later.
 *
 * @example
 *   import { argon2 } from '@latchkey/passwords/verifiers/argon2'
 *
 *   const verifier = argon2()
 */
export function argon2(): PasswordVerifier {
  return createArgon2Verifier(computeByNode, ['argon2id', 'argon2i'], nodeLimits, getArgon2Problem)
}
