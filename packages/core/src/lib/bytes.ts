/**
 * Reads a stream to its end, or until it exceeds the limit.
 *
 * @param limit Bytes
 * @returns The bytes, or undefined if there are more than `limit`
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
      // The rest is not read, so a failed cancellation has no consequence.
      void reader?.cancel().catch(() => undefined)
      return undefined
    }
    chunks.push(next.value)
  }
}

/** Returns the bytes of all chunks as one array. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
