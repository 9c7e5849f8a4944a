import { ConfigurationError } from '@latchkey/core'
import type { Argon2Variant } from '../argon2-hash.ts'
import { createArgon2Verifier } from '../argon2-verifier.ts'
import { moduleLimits, toCompute } from '../argon2-wasm.ts'
import type { Argon2Function } from '../argon2-wasm.ts'
import type { PasswordVerifier, VerifierOptions } from '../verifier.ts'

export type { Argon2Function, Argon2ModuleInput } from '../argon2-wasm.ts'
export type { PasswordVerifier, VerifierOptions } from '../verifier.ts'

/** The functions of an Argon2 module that verify hashes. */
export interface Argon2Functions {
  readonly argon2id?: Argon2Function
  readonly argon2i?: Argon2Function
}

/**
 * Verifies Argon2id and Argon2i with a WebAssembly module, such as argon2-wasm-edge on Cloudflare Workers, up to 64 MiB
 * of memory and 256 MiB in all passes.
 *
 * @param functions `argon2id` and `argon2i` of the module; hashes of one that is missing do not match
 *
 * @example
 *   import { argon2Module } from '@latchkey/passwords/verifiers/argon2-module'
 *   import type { Argon2Functions } from '@latchkey/passwords/verifiers/argon2-module'
 *
 *   declare const functions: Argon2Functions // of argon2-wasm-edge, after setWASMModules
 *   const verifier = argon2Module(functions)
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function argon2Module(
  functions: Argon2Functions,
  options?: VerifierOptions,
): PasswordVerifier {
  const all: readonly Argon2Variant[] = ['argon2id', 'argon2i']
  const variants = all.filter((variant) => functions[variant] !== undefined)
  const option = 'argon2Module'
  if (variants.length === 0) throw new ConfigurationError(option, 'must have argon2id or argon2i')
  return createArgon2Verifier(toCompute(functions), variants, moduleLimits, { option }, options)
}
