import { ConfigurationError } from '@latchkey/core'
import { createArgon2Hasher } from './argon2-hash.ts'
import type { Argon2Options } from './argon2-hash.ts'
import { moduleLimits, toCompute } from './argon2-wasm.ts'
import type { Argon2Function } from './argon2-wasm.ts'
import type { PasswordHasher } from './hasher.ts'

export type { Argon2Options, Argon2Parameters } from './argon2-hash.ts'
export type { Argon2Function, Argon2ModuleInput } from './argon2-wasm.ts'
export type { PasswordHasher } from './hasher.ts'

/**
 * Hashes passwords by Argon2id (RFC 9106) with a WebAssembly module, such as argon2-wasm-edge on Cloudflare Workers.
 * `argon2id` of `@latchkey/passwords/argon2` makes the same hashes.
 *
 * Hashes are verified up to 64 MiB of memory, and up to 256 MiB in all passes. WebAssembly blocks the thread while it
 * computes.
 *
 * @param compute The function `argon2id` of the module; argon2-wasm-edge needs `setWASMModules()` before the first hash
 *
 * @example
 *   import { argon2Module } from '@latchkey/passwords/argon2-module'
 *   import type { Argon2Function } from '@latchkey/passwords/argon2-module'
 *
 *   declare const argon2id: Argon2Function // of argon2-wasm-edge, after setWASMModules
 *   const hasher = argon2Module(argon2id)
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function argon2Module(compute: Argon2Function, options: Argon2Options = {}): PasswordHasher {
  if (typeof compute !== 'function') {
    throw new ConfigurationError('argon2Module', 'must be the function argon2id of a module')
  }
  return createArgon2Hasher('argon2Module', toCompute({ argon2id: compute }), moduleLimits, options)
}
