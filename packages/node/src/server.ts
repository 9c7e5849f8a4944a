import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { ConfigurationError } from '@latchkey/core'
import type { Auth, HandleOptions } from '@latchkey/core'
import { getClientIp } from '@latchkey/environment'
import { restoreBody } from './parsed-body.ts'
import { readRequestId, withRequestId } from './request-id.ts'
import { getPath } from './request-target.ts'
import { createStop } from './stop.ts'
import type { Stop } from './stop.ts'

/** What Node knows of a request. Hono applications expect it as `c.env`, e.g. in `getConnInfo`. */
export interface NodeBindings {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/**
 * Answers a request of the Web platform.
 *
 * @typeParam Rest What it receives besides the request
 */
export type HandlerOf<Rest extends unknown[]> = (
  request: Request,
  ...rest: Rest
) => Response | Promise<Response>

/** What a handler of Node's server receives besides the request. */
export type NodeRest = [options: HandleOptions, bindings: NodeBindings]

/** Answers a request of Node's server. */
export type FetchHandler = HandlerOf<NodeRest>

/** Where a server listens. */
export interface ListenOptions {
  /** The name or IP address to listen on. */
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The variable that sets the port: the error names it if the port cannot be used. Default: `PORT` */
  readonly portVariable?: string
  /**
   * Milliseconds in which a whole request must arrive, which an upload may need more of. Default:
   * 30,000
   */
  readonly requestTimeout?: number
}

/** A server that listens. */
export interface RunningServer {
  /** E.g. `http://localhost:3000`. */
  readonly url: string
  readonly stop: Stop
}

/** The methods that any route has. */
const METHODS = 'GET, HEAD, POST'
/** Milliseconds: bodies of the service are 64 KiB at most. */
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
  const { host, port, requestTimeout = REQUEST_TIMEOUT } = options
  const server = createServer({ requestTimeout }, listener)
  server.on('connect', answerConnect)
  const stop = createStop(server)
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (thrown) {
    throw toListenError(thrown, options)
  }
  const address = server.address()
  const actual = typeof address === 'object' ? address?.port : port
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
   * The header in which a reverse proxy sends the client's IP address, or a function that returns it
   * for each request. Of several IP addresses the last one counts, because this proxy added it.
   * Default: no header, the IP address of the connection
   */
  readonly clientIpHeader?: string | undefined | (() => string | undefined)
  /** Is called after each response, for an access log. Default: nothing is called */
  readonly onResponse?: (access: Access) => void
}

/** A request and its response, as an access log has them. */
export interface Access {
  /** As in `X-Request-Id` of the response. */
  readonly requestId: string
  readonly method: string
  /** Without the query, which can have codes and tokens; empty if the request target was refused. */
  readonly path: string
  readonly status: number
  /** From the request's headers to the end of the response. */
  readonly milliseconds: number
  /** Whether the connection ended before the response was sent. */
  readonly isAborted: boolean
}

/**
 * Creates a listener for Node's server from a service, or from a handler of Web requests. The request's URL has the host
 * of its Host header. A request without exactly one well-formed Host header, or whose target is an
 * absolute URL of another origin, is answered with 400.
 *
 * It can be mounted at a path of Express or Connect. A body that `express.json()` or `express.urlencoded()` has parsed before
 * is taken if it is an object of texts and booleans; another one is answered with 400, which names the field.
 *
 * Each response has `X-Request-Id`: the request's, if it is one value of 1 to 128 letters, digits and
 * `_.:=+/@~-`, otherwise a new one.
 *
 * @example
 *   import { createListener, listen } from '@latchkey/node'
 *   import { Hono } from 'hono'
 *
 *   const app = new Hono().get('/', (c) => c.text('Hello'))
 *   const listener = createListener((request, _options, bindings) => app.fetch(request, bindings))
 *   await listen(listener, { host: 'localhost', port: 3000 })
 *
 * @param answerer A handler, or what `createAuth` returned, whose `programs` answers before `handle`
 */
export function createListener(
  answerer: FetchHandler | Pick<Auth, 'handle' | 'programs'>,
  { clientIpHeader, onResponse }: ListenerOptions = {},
): RequestListener {
  const handler = typeof answerer === 'function' ? answerer : toHandler(answerer)
  const getHeader = typeof clientIpHeader === 'function' ? clientIpHeader : () => clientIpHeader
  const toHandleOptions = ({ headers }: Request, { socket }: IncomingMessage): HandleOptions => ({
    clientIp: () => getClientIp(headers, getHeader(), socket.remoteAddress),
  })
  // By default the library replaces the global Request and Response with its own.
  const listener = getRequestListener(
    (request, env) => {
      // Bindings of HTTP/1: the server is one of `node:http`.
      const bindings = env as NodeBindings
      return handler(request, toHandleOptions(request, bindings.incoming), bindings)
    },
    { overrideGlobalObjects: false },
  )
  return (incoming, outgoing) => {
    const requestId = readRequestId(incoming)
    outgoing.setHeader('x-request-id', requestId)
    const path = getPath(incoming)
    if (onResponse) reportResponse(outgoing, { requestId, path, incoming, onResponse })
    if (path === undefined) return void outgoing.writeHead(400, { connection: 'close' }).end()
    if (path === '*') return void outgoing.writeHead(204, { allow: METHODS }).end()
    const problem = restoreBody(incoming)
    if (problem !== undefined) return void outgoing.writeHead(400).end(problem)
    // Of an absolute target, the library would take the URL in place of the Host header.
    incoming.url = path
    withRequestId(requestId, () => void listener(incoming, outgoing))
  }
}

function toHandler({ handle, programs }: Pick<Auth, 'handle' | 'programs'>): FetchHandler {
  return (request, options) => programs?.(request, options) ?? handle(request, options)
}

interface Reporting extends Required<Pick<ListenerOptions, 'onResponse'>> {
  readonly requestId: string
  readonly path: string | undefined
  readonly incoming: IncomingMessage
}

function reportResponse(
  outgoing: ServerResponse,
  { requestId, path = '', incoming, onResponse }: Reporting,
): void {
  const { method = '' } = incoming
  const startedAt = performance.now()
  outgoing.once('close', () =>
    onResponse({
      requestId,
      method,
      path: path.replace(/[?#].*$/s, ''),
      status: outgoing.statusCode,
      milliseconds: Math.round(performance.now() - startedAt),
      isAborted: !outgoing.writableFinished,
    }),
  )
}

/** Answers CONNECT, which Node otherwise answers by closing the connection: this is not a proxy. */
function answerConnect(_incoming: IncomingMessage, socket: Duplex): void {
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
  const { code = '' }: NodeJS.ErrnoException = Object(thrown)
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
