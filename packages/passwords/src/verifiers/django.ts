import { equalInConstantTime, fromBase64 } from '../bytes.ts'
import { derivePbkdf2Key, getIterations } from '../pbkdf2-key.ts'
import type { Pbkdf2Digest } from '../pbkdf2-key.ts'
import { isInRange } from '../phc.ts'
import { isWorkerd } from '../runtime.ts'
import { createVerifier } from '../verifier.ts'
import type { HashFormat, PasswordVerifier, VerifierOptions } from '../verifier.ts'

export type { PasswordVerifier, VerifierOptions } from '../verifier.ts'

interface DjangoHash {
  readonly digest: Pbkdf2Digest
  readonly iterations: number
  readonly salt: string
  readonly key: Uint8Array
}

const pattern =
  /^pbkdf2_(sha256|sha1)\$([1-9]\d{0,6})\$([\u0021-\u0023\u0025-\u007e]{1,128})\$([A-Za-z\d+/]{27}|[A-Za-z\d+/]{43})=$/

/**
 * Verifies the PBKDF2 of Django: `pbkdf2_sha256$…`, its default, and `pbkdf2_sha1$…`. It is not supported by Cloudflare
 * Workers, because workerd computes at most 100,000 iterations.
 *
 * @example
 *   import { django } from '@latchkey/passwords/verifiers/django'
 *
 *   const verifier = django({ decoys: ['pbkdf2_sha256$260000'] }) // of Django 3.2
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function django(options?: VerifierOptions): PasswordVerifier {
  const format: HashFormat<DjangoHash> = {
    name: 'Django',
    option: 'django',
    cost: 'pbkdf2_sha256$1000000',
    getCost: ({ digest, iterations }) => `pbkdf2_${digest}$${iterations}`,
    toDecoy: (cost) => `${cost}$decoy$${'A'.repeat(cost.startsWith('pbkdf2_sha1$') ? 27 : 43)}=`,
    parse: parseDjango,
    async verify(password, { digest, iterations, salt, key }) {
      const computed = await derivePbkdf2Key(password, salt, iterations, key.byteLength, digest)
      return equalInConstantTime(computed, key)
    },
    getUnsupportedReason: () =>
      isWorkerd() ? 'workerd computes at most 100,000 iterations of PBKDF2' : undefined,
  }
  return createVerifier(format, options)
}

function parseDjango(text: string): DjangoHash | undefined {
  const [, name, count, salt = '', output = ''] = pattern.exec(text) ?? []
  const digest = name === 'sha1' ? name : 'sha256'
  const key = fromBase64(output)
  const iterations = Number(count)
  if (!isInRange(iterations, getIterations())) return undefined
  if (key?.byteLength !== (digest === 'sha1' ? 20 : 32)) return undefined
  return { digest, iterations, salt, key }
}
