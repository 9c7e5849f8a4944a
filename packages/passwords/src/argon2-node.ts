import * as nodeCrypto from 'node:crypto'
import type { Argon2Limits, ComputeArgon2 } from './argon2-hash.ts'

/** 256 MiB, and a GiB in all passes: 27 times the work of the default. */
export const nodeLimits: Argon2Limits = { memory: 2 ** 18, work: 2 ** 20 }

/** Returns why this runtime cannot compute Argon2; undefined if it can. */
export function getArgon2Problem(): string | undefined {
  // Node has it since 24.7. Types promise it, and a bundler must not demand it.
  if (typeof Reflect.get(nodeCrypto, 'argon2') === 'function') return undefined
  return 'needs argon2 of node:crypto, which Node has since 24.7: use scrypt, or an Argon2 module'
}

/** Computes Argon2 in a thread of the runtime. */
export const computeByNode: ComputeArgon2 = (variant, message, nonce, tagLength, parameters) =>
  new Promise((resolve, reject) => {
    const input = { message, nonce, tagLength, ...parameters }
    nodeCrypto.argon2(variant, input, (error, tag) => (error ? reject(error) : resolve(tag)))
  })
