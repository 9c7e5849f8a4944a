import type { Platform } from './platform.ts'

/** Bytes that are drawn per call of the platform, since a call costs more than its bytes. */
const POOL_LENGTH = 1024

/**
 * Creates the random source of a process, which draws bytes in blocks when they are first needed. What
 * it returns are copies that share no memory with the block, and the block is cleared behind them.
 *
 * @param fill Fills an array with random bytes and returns it
 */
export function createRandomPool(
  fill: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
): Platform['random'] {
  let pool = new Uint8Array(0)
  let used = 0
  return (length) => {
    if (length > POOL_LENGTH) return fill(new Uint8Array(length))
    if (used + length > pool.byteLength) {
      pool = fill(new Uint8Array(POOL_LENGTH))
      used = 0
    }
    const start = used
    used += length
    const bytes = pool.slice(start, used)
    pool.fill(0, start, used)
    return bytes
  }
}
