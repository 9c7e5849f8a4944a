import type { Argon2Limits, Argon2Variant, ComputeArgon2 } from './argon2-hash.ts'

/** What a function of an Argon2 module receives. */
export interface Argon2ModuleInput {
  readonly password: Uint8Array
  readonly salt: Uint8Array
  /** KiB. */
  readonly memorySize: number
  readonly iterations: number
  readonly parallelism: number
  /** Bytes. */
  readonly hashLength: number
  readonly outputType: 'binary'
}

/** A function of an Argon2 module, such as `argon2id` of argon2-wasm-edge or hash-wasm. */
export type Argon2Function = (input: Argon2ModuleInput) => Promise<Uint8Array>

/** 64 MiB, half of the memory of an isolate of Workers, and 256 MiB in all passes. */
export const moduleLimits: Argon2Limits = { memory: 2 ** 16, work: 2 ** 18 }

/** Workers compile no WebAssembly at run time, and the error of the module does not say what to do. */
const advice =
  'on Workers call setWASMModules() of argon2-wasm-edge, with imported modules, before the first hash'

/** Computes Argon2 by the functions of a module. */
export function toCompute(
  functions: Partial<Readonly<Record<Argon2Variant, Argon2Function>>>,
): ComputeArgon2 {
  return async (variant, password, salt, hashLength, { memory, passes, parallelism }) => {
    const compute = functions[variant]
    if (!compute) throw new Error(`the Argon2 module has no ${variant}`)
    const parameters = { memorySize: memory, iterations: passes, parallelism, hashLength }
    try {
      return await compute({ password, salt, ...parameters, outputType: 'binary' })
    } catch (cause) {
      throw new Error(`the Argon2 module failed: ${advice}`, { cause })
    }
  }
}
