import { getBcryptCost, getBcryptProblem, parseBcrypt, toBcryptDecoy } from '../bcrypt-hash.ts'
import type { CompareBcrypt } from '../bcrypt-hash.ts'
import { createVerifier } from '../verifier.ts'
import type { BcryptHash } from '../bcrypt-hash.ts'
import type { HashFormat, PasswordVerifier, VerifierOptions } from '../verifier.ts'

export type { CompareBcrypt } from '../bcrypt-hash.ts'
export type { PasswordVerifier, VerifierOptions } from '../verifier.ts'

/**
 * Verifies bcrypt: `$2a$`, `$2b$` and `$2y$`, as Supabase, Auth0, Clerk, Laravel and `htpasswd` make it, up to the cost
 * 14. Bcrypt ignores what follows 72 bytes. It is not offered on Cloudflare Workers.
 *
 * @param compare `compare` of @node-rs/bcrypt, which computes in a thread, or of bcryptjs
 *
 * @example
 *   import { compare } from '@node-rs/bcrypt'
 *   import { bcrypt } from '@latchkey/passwords/verifiers/bcrypt'
 *
 *   const verifier = bcrypt(compare)
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function bcrypt(compare: CompareBcrypt, options?: VerifierOptions): PasswordVerifier {
  const format: HashFormat<BcryptHash> = {
    name: 'bcrypt',
    option: 'bcrypt',
    // The cost that most services have.
    cost: '$2b$10',
    getCost: getBcryptCost,
    toDecoy: toBcryptDecoy,
    parse: parseBcrypt,
    verify: (password, { hash }) => compare(password, hash),
    getUnsupportedReason: getBcryptProblem,
  }
  return createVerifier(format, options)
}
