/** Returns random numbers of 32 bits that are the same for a seed (xorshift32). */
export function createRandom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e37_79b1) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
}

/** Creates `Runtime.random` that returns the same bytes for a seed, so that a case can be repeated. */
export function createRandomBytes(seed: number): (length: number) => Uint8Array<ArrayBuffer> {
  const next = createRandom(seed)
  return (length) => Uint8Array.from({ length }, () => next() >>> 11)
}
