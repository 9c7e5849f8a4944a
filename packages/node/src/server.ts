import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { HttpBindings } from '@hono/node-server'
import { ConfigurationError } from '@latchkey/core'
import type { HandleOptions } from '@latchkey/core'
import { getClientIp } from '@latchkey/environment'
import { getPath } from './request-target.ts'
import { createStop } from './stop.ts'
import type { Stop } from './stop.ts'

/** Answers a request of the Web platform. */
export type FetchHandler = (
  request: Request,
  options: HandleOptions,
) => Response | Promise<Response>

/** Where a server listens. */
export interface ListenOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The variable that sets the port: the error names it if the port cannot be used. Default: `PORT` */
  readonly portVariable?: string
}

/** A server that listens. */
export interface RunningServer {
  /** E.g. `http://localhost:3000`. */
  readonly url: string
  readonly stop: Stop
}

/** The methods that any route has. */
const METHODS = 'GET, HEAD, POST'
/** Milliseconds in which a whole request must arrive: bodies are 64 KiB at most. */
const REQUEST_TIMEOUT = 30_000

/**
 * Starts a server.
 *
 * @throws ConfigurationError if it cannot listen on the host or the port
 */
export async function listen(
  listener: RequestListener,
  options: ListenOptions,
): Promise<RunningServer> {
  const { host, port } = options
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT }, listener)
  server.on('connect', refuseTunnel)
  const stop = createStop(server)
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (thrown) {
    throw toListenError(thrown, options)
  }
  const { port: actual } = server.address() as AddressInfo
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`, stop }
}

/** Returns the same server, with a resource that is closed after its last request is finished. */
export function closeAfterStop(server: RunningServer, close: () => Promise<void>): RunningServer {
  return {
    ...server,
    async stop(limit) {
      const finished = await server.stop(limit)
      await close()
      return finished
    },
  }
}

/** What {@link createListener} accepts besides the handler. */
export interface ListenerOptions {
  /**
   * The header in which a reverse proxy sends the client's IP address. Of several IP addresses the
   * last one counts, because this proxy added it. Default: no header, the IP address of the
   * connection
   */
  readonly clientIpHeader?: string | undefined
}

/**
 * Creates a listener for Node's server from a handler of Web requests. The request's URL has the host
 * of its Host header. A request without exactly one well-formed Host header, or whose target is an
 * absolute URL of another origin, is answered with 400.
 */
export function createListener(
  handler: FetchHandler,
  { clientIpHeader }: ListenerOptions = {},
): RequestListener {
  const toHandleOptions = ({ headers }: Request, { socket }: IncomingMessage): HandleOptions => ({
    clientIp: () => getClientIp(headers, clientIpHeader, socket.remoteAddress),
  })
  // By default the library replaces the global Request and Response with its own.
  const listener = getRequestListener(
    (request, env) => handler(request, toHandleOptions(request, (env as HttpBindings).incoming)),
    { overrideGlobalObjects: false },
  )
  return (incoming, outgoing) => {
    const path = getPath(incoming)
    if (path === undefined) return void outgoing.writeHead(400, { connection: 'close' }).end()
    if (path === '*') return void outgoing.writeHead(204, { allow: METHODS }).end()
    // Of an absolute target, the library would take the URL in place of the Host header.
    incoming.url = path
    void listener(incoming, outgoing)
  }
}

/** Answers CONNECT, which Node otherwise answers by closing the connection: this is not a proxy. */
function refuseTunnel(_incoming: IncomingMessage, socket: Duplex): void {
  // The HTTP server no longer handles errors of this connection.
  socket.on('error', () => undefined)
  socket.end(
    `HTTP/1.1 405 Method Not Allowed\r\nAllow: ${METHODS}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    () => socket.destroy(),
  )
}

/** Names the variable if the operator can fix the problem; any other error is returned as it is. */
function toListenError(
  thrown: unknown,
  { host, port, portVariable = 'PORT' }: ListenOptions,
): unknown {
  const code = (thrown as NodeJS.ErrnoException).code ?? ''
  if (code === 'EADDRINUSE') {
    return new ConfigurationError(portVariable, `port ${port} is taken by another program`)
  }
  if (code === 'EACCES') {
    return new ConfigurationError(portVariable, `this user may not open port ${port}`)
  }
  if (['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'].includes(code)) {
    return new ConfigurationError('HOST', `${host} is not a host of this machine (${code})`)
  }
  return thrown
}
