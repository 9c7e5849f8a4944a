import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '@latchkey/test-support/listen'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface TestHttp {
  /** `http://127.0.0.1:…` */
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  readonly close: () => Promise<void>
}

/** Starts an HTTP server on loopback that records its requests and lets the test respond. */
export async function startHttp(
  respond: (response: ServerResponse, request: ReceivedRequest) => void,
): Promise<TestHttp> {
  const requests: ReceivedRequest[] = []
  const { origin, stop } = await listen((incoming, response) => {
    const { method = '', url = '', headers } = incoming
    const record = (body: string): void => {
      const request = { method, path: url, headers, body }
      requests.push(request)
      respond(response, request)
    }
    text(incoming).then(record, () => undefined)
  })
  return { url: origin, requests, close: stop }
}
