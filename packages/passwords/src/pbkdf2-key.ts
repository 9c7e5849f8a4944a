import { pbkdf2 } from 'node:crypto'
import type { Range } from './phc.ts'
import { isWorkerd } from './runtime.ts'

/** The hash function of PBKDF2's HMAC. */
export type Pbkdf2Digest = 'sha1' | 'sha256' | 'sha512'

/** Twice the iterations of the newest Django. */
const MAX_ITERATIONS = 2_500_000
/** What workerd allows. */
const MAX_WORKERD_ITERATIONS = 100_000

/** Returns how many iterations a hash may have on this runtime. */
export function getIterations(): Range {
  return [1, isWorkerd() ? MAX_WORKERD_ITERATIONS : MAX_ITERATIONS]
}

/** Derives a key (RFC 8018 §5.2), in a thread of the runtime. */
export function derivePbkdf2Key(
  password: string,
  salt: string | Uint8Array,
  iterations: number,
  length: number,
  digest: Pbkdf2Digest,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    pbkdf2(password, salt, iterations, length, digest, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
