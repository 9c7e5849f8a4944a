import { ConfigurationError } from '@latchkey/core'
import { createArgon2Hasher } from './argon2-hash.ts'
import type { Argon2Options } from './argon2-hash.ts'
import { computeByNode, getArgon2Problem, nodeLimits } from './argon2-node.ts'
import type { PasswordHasher } from './hasher.ts'

export type { Argon2Options, Argon2Parameters } from './argon2-hash.ts'
export type { PasswordHasher } from './hasher.ts'

/**
 * Hashes passwords by Argon2id (RFC 9106) with `node:crypto`, which has it in Node 24.7 and later. Hashes look like
 * `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<output>`.
 *
 * A hash costs 19 MiB of memory and two passes by default, the least that OWASP recommends. Hashes with other
 * parameters are verified too, up to 256 MiB, and up to 1 GiB in all passes.
 *
 * @example
 *   import { argon2id } from '@latchkey/passwords/argon2'
 *
 *   const hasher = argon2id()
 *   const hash = await hasher.hash('correct horse battery staple')
 *   await hasher.verify('correct horse battery staple', hash) // true
 *
 * @throws ConfigurationError if the runtime has no Argon2, or naming the option that is invalid
 */
export function argon2id(options: Argon2Options = {}): PasswordHasher {
  const problem = getArgon2Problem()
  if (problem !== undefined) throw new ConfigurationError('argon2id', problem)
  return createArgon2Hasher('argon2id', computeByNode, nodeLimits, options)
}
