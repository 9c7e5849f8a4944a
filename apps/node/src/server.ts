import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { HttpBindings } from '@hono/node-server'
import { ConfigurationError } from '@latchkey/core'
import type { HandleOptions } from '@latchkey/core'

/** Answers a request of the Web platform. */
export type FetchHandler = (request: Request, extras: HandleOptions) => Response | Promise<Response>

/** Where a server listens. */
export interface ListenOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** The variable that says the port: named where it cannot be had. */
  readonly portVariable?: string
}

/** A server that listens. */
export interface RunningServer {
  /** E.g. `http://localhost:3000`. */
  readonly address: string
  /**
   * Takes no further connection and finishes the requests under way. Resolves with false where they
   * took longer than `limit` milliseconds and were cut off.
   */
  readonly stop: (limit?: number) => Promise<boolean>
}

/** Milliseconds for a request to arrive whole: bodies are 64 KiB at most. */
const REQUEST_TIMEOUT = 30_000
/** Milliseconds that {@link RunningServer.stop} waits for requests under way. */
export const STOP_LIMIT = 10_000

/**
 * Starts a server.
 *
 * @throws ConfigurationError where the host or the port cannot be had
 */
export async function listen(
  listener: RequestListener,
  options: ListenOptions,
): Promise<RunningServer> {
  const { host, port } = options
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT }, listener)
  const stop = stopOf(server)
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (thrown) {
    throw refusal(thrown, options)
  }
  const { port: actual } = server.address() as AddressInfo
  return { address: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`, stop }
}

/** The same server, with something to be closed once its last request is finished. */
export function withClose(server: RunningServer, close: () => Promise<void>): RunningServer {
  return {
    ...server,
    async stop(limit) {
      const finished = await server.stop(limit)
      await close()
      return finished
    },
  }
}

/** `server.close()` alone waits for connections on which nothing is under way. */
function stopOf(server: Server): RunningServer['stop'] {
  const sockets = new Set<Socket>()
  let stopping = false
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (_incoming, outgoing) => {
    outgoing.once('close', () => {
      if (stopping) server.closeIdleConnections()
    })
  })
  return async (limit = STOP_LIMIT) => {
    stopping = true
    let finished = true
    const closed = once(server, 'close')
    server.close()
    // Browsers connect ahead of need. To Node such a connection is not idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    const timer = setTimeout(() => {
      finished = false
      server.closeAllConnections()
    }, limit)
    await closed
    clearTimeout(timer)
    return finished
  }
}

export interface ListenerOptions {
  /**
   * The header in which the proxy in front says the client's address. Of several addresses the last
   * one counts: it is the one that this proxy has seen. Default: none, and the address is that of the
   * connection.
   */
  readonly clientAddressHeader?: string | undefined
}

/**
 * A listener of Node's server in front of a handler of Web requests. The request's URL has the host
 * of its Host header; a request without exactly one that is well-formed is answered with 400.
 */
export function listenerOf(
  handler: FetchHandler,
  { clientAddressHeader }: ListenerOptions = {},
): RequestListener {
  const header = clientAddressHeader?.toLowerCase()
  const extrasOf = (incoming: IncomingMessage): HandleOptions => ({
    clientIp: () => clientIp(incoming, header),
  })
  // The library would put its own Request and Response in the place of the process's.
  const listener = getRequestListener(
    (request, env) => handler(request, extrasOf((env as HttpBindings).incoming)),
    { overrideGlobalObjects: false },
  )
  return (incoming, outgoing) => {
    if (hasHost(incoming)) return void listener(incoming, outgoing)
    outgoing.writeHead(400, { connection: 'close' }).end()
  }
}

function clientIp(
  { headersDistinct, socket }: IncomingMessage,
  header: string | undefined,
): string | undefined {
  if (header === undefined) return socket.remoteAddress
  return headersDistinct[header]?.join(',').split(',').at(-1)?.trim()
}

/** RFC 9112 §3.2: one Host header, a host and maybe a port. */
function hasHost({ headersDistinct }: IncomingMessage): boolean {
  const [host = '', ...others] = headersDistinct['host'] ?? []
  return others.length === 0 && wellFormedHost.test(host) && URL.canParse(`http://${host}/`)
}

const wellFormedHost = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i

/** What whoever starts the server can put right; anything else stays what it was. */
function refusal(thrown: unknown, { host, port, portVariable = 'PORT' }: ListenOptions): unknown {
  const code = (thrown as NodeJS.ErrnoException).code ?? ''
  if (code === 'EADDRINUSE') {
    return new ConfigurationError(portVariable, `port ${port} is taken by another program`)
  }
  if (code === 'EACCES') {
    return new ConfigurationError(portVariable, `this user may not open port ${port}`)
  }
  if (['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'].includes(code)) {
    return new ConfigurationError('HOST', `${host} is no address of this machine (${code})`)
  }
  return thrown
}
