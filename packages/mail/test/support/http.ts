import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

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
  readonly close: () => void
}

/** Starts an HTTP server on loopback that records its requests and lets the test respond. */
export async function startHttp(
  respond: (response: ServerResponse, request: ReceivedRequest) => void,
): Promise<TestHttp> {
  const requests: ReceivedRequest[] = []
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming
    const record = (body: string): void => {
      const request = { method, path: url, headers, body }
      requests.push(request)
      respond(response, request)
    }
    text(incoming).then(record, () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, requests, close }
}
