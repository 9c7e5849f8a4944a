import { scrypt } from 'node:crypto'

/** The parameters of scrypt (RFC 7914 §2). */
export interface ScryptParameters {
  /** The CPU and memory cost N: a power of two. */
  readonly cost: number
  /** The block size r. */
  readonly blockSize: number
  /** The parallelization p. */
  readonly parallelization: number
}

/**
 * Derives a key, in a thread of the runtime.
 *
 * @param length Bytes
 */
export function deriveScryptKey(
  password: Uint8Array,
  salt: Uint8Array,
  length: number,
  { cost, blockSize, parallelization }: ScryptParameters,
): Promise<Uint8Array> {
  // OpenSSL needs 128·r·(N + p + 2) bytes, and refuses to use more than this.
  const maxmem = 128 * blockSize * (cost + parallelization + 2) + 1024
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, { cost, blockSize, parallelization, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
