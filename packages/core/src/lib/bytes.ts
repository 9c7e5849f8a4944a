/**
 * Reads a stream to its end, counting while it arrives.
 *
 * @param limit Bytes
 * @returns The bytes, or undefined as soon as there are more of them than `limit`
 */
export async function readAtMost(
  stream: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = stream?.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const next = await reader?.read()
    if (!next || next.done) return concatBytes(chunks)
    length += next.value.byteLength
    if (length > limit) {
      // Nobody waits for the rest; a stream that cannot even be cancelled has ended all the same.
      void reader?.cancel().catch(() => undefined)
      return undefined
    }
    chunks.push(next.value)
  }
}

/** The bytes of all chunks, one after another. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
