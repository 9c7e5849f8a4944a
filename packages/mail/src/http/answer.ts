/** A JSON object of somebody else's: nothing is known of its fields. */
export type Answer = Readonly<Record<string, unknown>>

const MAX_BYTES = 64 * 1024

/** The text of an answer; empty where it is longer than 64 KiB, or ends too early. */
export async function readStart(stream: ReadableStream<Uint8Array> | null): Promise<string> {
  const reader = stream?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  try {
    for (;;) {
      const next = await reader?.read()
      if (!next || next.done) return text + decoder.decode()
      length += next.value.byteLength
      if (length > MAX_BYTES) return ''
      text += decoder.decode(next.value, { stream: true })
    }
  } catch {
    return '' // the status has been said, which is what counts
  } finally {
    void reader?.cancel().catch(() => undefined)
  }
}

/** The object that a text is in JSON; an empty one where it is none. */
export function objectOf(json: string): Answer {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Answer) : {}
  } catch {
    return {}
  }
}
