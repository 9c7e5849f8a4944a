import { fromUtf8 } from '../crypto/encoding.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'

/**
 * Sends a request to a provider. A successful response must be UTF-8, as JSON is (RFC 8259 §8.1):
 * `Response.json()` replaces invalid bytes, so that two subjects could become one.
 *
 * @throws Error if a limit of I-26 is exceeded, or if the response is not UTF-8
 */
export async function fetchText(
  runtime: ProviderRuntime,
  url: string,
  init: RequestInit,
): Promise<Response> {
  const response = await runtime.fetch(url, init)
  if (response.ok && !isUtf8(await response.clone().arrayBuffer())) {
    throw new Error(`expected UTF-8 from ${new URL(url).host}`)
  }
  return response
}

function isUtf8(bytes: ArrayBuffer): boolean {
  try {
    fromUtf8(bytes)
    return true
  } catch {
    return false
  }
}
