/** A JSON object of an email service: its fields can be missing or of any type. */
export type JsonObject = Readonly<Record<string, unknown>>

const MAX_BYTES = 64 * 1024

/** Reads a response body as text: empty if it has more than 64 KiB or ends too early. */
export async function readText(stream: ReadableStream<Uint8Array> | null): Promise<string> {
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
    return '' // only the status describes the refusal
  } finally {
    void reader?.cancel().catch(() => undefined)
  }
}

/** Parses a JSON object: an empty one if the text is anything else. */
export function parseObject(json: string): JsonObject {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Returns whether a value has members. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}
