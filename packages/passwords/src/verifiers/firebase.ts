import { createCipheriv } from 'node:crypto'
import { ConfigurationError } from '@latchkey/core'
import { concat, fromPaddedBase64, toUtf8 } from '../bytes.ts'
import { checkKnownNames } from '@latchkey/core/capability/options'
import { formatCost, formatPhc, isInRange, parsePhcOf, toPhcDecoy } from '../phc.ts'
import type { PhcFormat } from '../phc.ts'
import { verifyPhc } from '../phc-hasher.ts'
import { deriveScryptKey } from '../scrypt-key.ts'
import { createVerifier } from '../verifier.ts'
import type { PasswordVerifier } from '../verifier.ts'

export type { PasswordVerifier } from '../verifier.ts'

/** The hash parameters of a Firebase project, as its console shows them. */
export interface FirebaseOptions {
  /** `base64_signer_key`. */
  readonly signerKey: string
  /** `base64_salt_separator`. */
  readonly saltSeparator: string
  /** `rounds`: 1 to 8. */
  readonly rounds: number
  /** `mem_cost`: 1 to 14. */
  readonly memCost: number
}

/** A user of `firebase auth:export`. */
export interface FirebaseUser {
  /** In base64 or base64url. */
  readonly passwordHash: string
  /** In base64 or base64url. */
  readonly salt: string
}

/**
 * Verifies the scrypt of Firebase, in the form that {@link toFirebaseHash} writes: scrypt makes a key, which encrypts
 * the signer key of the project (AES-256-CTR).
 *
 * @example
 *   import { firebase } from '@latchkey/passwords/verifiers/firebase'
 *
 *   const signerKey = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=='
 *   const verifier = firebase({ signerKey, saltSeparator: 'Bw==', rounds: 8, memCost: 14 })
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function firebase(options: FirebaseOptions): PasswordVerifier {
  const { signerKey, saltSeparator, cost, blockSize } = resolveOptions(options)
  const length: PhcFormat['output'] = [signerKey.byteLength, signerKey.byteLength]
  const format: PhcFormat = {
    ids: ['firebase-scrypt'],
    parameters: {},
    salt: [1, 64],
    output: length,
  }
  return createVerifier({
    name: 'Firebase',
    option: 'firebase',
    cost: '$firebase-scrypt',
    getCost: formatCost,
    toDecoy: (text) => toPhcDecoy(text, signerKey.byteLength),
    parse: (hash) => parsePhcOf(format, hash),
    verify: (password, hash) =>
      verifyPhc(hash, async ({ salt }) => {
        const parameters = { cost, blockSize, parallelization: 1 }
        const salted = concat(salt, saltSeparator)
        const key = await deriveScryptKey(toUtf8(password), salted, KEY_BYTES, parameters)
        return createCipheriv('aes-256-ctr', key, new Uint8Array(IV_BYTES)).update(signerKey)
      }),
  })
}

const KEY_BYTES = 32
const IV_BYTES = 16

/**
 * Returns the hash of a user as a text.
 *
 * @returns Undefined if the members are not base64, as for a user without a password
 *
 * @example
 *   import { toFirebaseHash } from '@latchkey/passwords/verifiers/firebase'
 *
 *   toFirebaseHash({ passwordHash: 'lSrfV15cpx95/sZS2W9c9A==', salt: '42xEC+ixf3L2lw==' })
 *   // '$firebase-scrypt$42xEC+ixf3L2lw$lSrfV15cpx95/sZS2W9c9A'
 */
export function toFirebaseHash({ passwordHash, salt: saltText }: FirebaseUser): string | undefined {
  const [salt, output] = [fromPaddedBase64(saltText), fromPaddedBase64(passwordHash)]
  if (!salt?.byteLength || !output?.byteLength) return undefined
  return formatPhc({ id: 'firebase-scrypt', version: undefined, parameters: {}, salt, output })
}

/** The options as scrypt and AES need them. */
interface Settings {
  readonly signerKey: Uint8Array
  readonly saltSeparator: Uint8Array
  readonly cost: number
  readonly blockSize: number
}

function resolveOptions(options: FirebaseOptions): Settings {
  checkKnownNames('firebase', options, ['signerKey', 'saltSeparator', 'rounds', 'memCost'])
  const { rounds, memCost } = options
  const signerKey = fromPaddedBase64(options.signerKey)
  const saltSeparator = fromPaddedBase64(options.saltSeparator)
  // Another length would be the hash of another project; the key never appears in the message.
  if (signerKey?.byteLength !== 64) throw invalid('signerKey', 'must be 64 bytes in base64')
  if (!saltSeparator) throw invalid('saltSeparator', 'must be base64')
  if (!isInRange(rounds, [1, 8])) throw invalid('rounds', 'must be an integer from 1 to 8')
  if (!isInRange(memCost, [1, 14])) throw invalid('memCost', 'must be an integer from 1 to 14')
  return { signerKey, saltSeparator, cost: 2 ** memCost, blockSize: rounds }
}

function invalid(option: keyof FirebaseOptions, problem: string): ConfigurationError {
  return new ConfigurationError(`firebase.${option}`, problem)
}
