import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { Server as TcpServer } from 'node:net'
import type { Socket } from 'node:net'

/**
 * Accepts no further connection and finishes open requests. Resolves to false if they took longer
 * than `limit` milliseconds and were cut off. Default: 10,000
 */
export type Stop = (limit?: number) => Promise<boolean>

/** Milliseconds that open requests have. */
const LIMIT = 10_000
/**
 * Milliseconds that an idle connection stays open: a request may be on its way, and the client would
 * not know whether it was processed.
 */
const IDLE_WAIT = 1000

/**
 * Creates the function that stops a server. From then on, each response ends its connection
 * (`Connection: close`, RFC 9112 §9.6), so that clients send no further request on it.
 */
export function createStop(server: Server): Stop {
  const connections = trackConnections(server)
  const endConnections = trackResponses(server)
  const closeIdle = (): void => {
    server.closeIdleConnections()
    // Browsers open connections before they need them. Node does not count those as idle.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
  return async (limit = LIMIT) => {
    let finished = true
    const closed = once(server, 'close')
    endConnections()
    // `close` of an HTTP server closes idle connections immediately.
    TcpServer.prototype.close.call(server)
    const idle = setInterval(closeIdle, IDLE_WAIT)
    const deadline = setTimeout(() => {
      closeIdle()
      finished = [...connections].every(({ destroyed }) => destroyed)
      for (const socket of connections) socket.destroy()
    }, limit)
    await closed
    clearInterval(idle)
    clearTimeout(deadline)
    return finished
  }
}

function trackConnections(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

/** Returns the function from whose call on responses end their connections, open ones included. */
function trackResponses(server: Server): () => void {
  const responses = new Set<ServerResponse>()
  let isStopping = false
  // First, because the application's listener can send the headers immediately.
  server.prependListener('request', (_incoming, response) => {
    if (isStopping) endConnection(response)
    responses.add(response)
    response.once('close', () => responses.delete(response))
  })
  return () => {
    isStopping = true
    for (const response of responses) endConnection(response)
  }
}

function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
