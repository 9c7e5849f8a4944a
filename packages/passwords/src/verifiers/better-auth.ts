import { equalInConstantTime, toUtf8 } from '../bytes.ts'
import { deriveScryptKey } from '../scrypt-key.ts'
import { createVerifier } from '../verifier.ts'
import type { PasswordVerifier } from '../verifier.ts'

export type { PasswordVerifier } from '../verifier.ts'

/** 32 MiB of memory. */
const parameters = { cost: 2 ** 14, blockSize: 16, parallelization: 1 }

/**
 * Verifies the scrypt of better-auth: salt and key in hexadecimal, with a colon between. The password is normalized
 * (NFKC), as better-auth does.
 *
 * @example
 *   import { betterAuth } from '@latchkey/passwords/verifiers/better-auth'
 *
 *   const verifier = betterAuth()
 */
export function betterAuth(): PasswordVerifier {
  return createVerifier({
    name: 'better-auth',
    option: 'betterAuth',
    cost: 'better-auth',
    getCost: () => 'better-auth',
    toDecoy: () => `${'0'.repeat(32)}:${'0'.repeat(128)}`,
    parse: (hash) => /^(?<salt>[\da-f]{32}):(?<key>[\da-f]{128})$/.exec(hash)?.groups,
    async verify(password, { salt = '', key = '' }) {
      // The salt is its text, not the bytes that the text stands for.
      const [bytes, saltBytes] = [toUtf8(password.normalize('NFKC')), toUtf8(salt)]
      const computed = await deriveScryptKey(bytes, saltBytes, key.length / 2, parameters)
      return equalInConstantTime(computed, fromHex(key))
    },
  })
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16))
}
