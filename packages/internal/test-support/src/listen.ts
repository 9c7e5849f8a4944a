import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'

/** A server in this process. */
export interface LocalServer {
  /** `http://127.0.0.1:…` */
  readonly origin: string
  /** Ends all connections. */
  readonly stop: () => Promise<void>
}

/** Where a server listens. */
export interface LocalAddress {
  /** Default: `127.0.0.1` */
  readonly host?: '127.0.0.1' | 'localhost'
  /** Default: a free one */
  readonly port?: number
}

/** Starts a server, which never ends an idle connection: it may be the one on which a client is sending. */
export async function listen(
  listener: RequestListener,
  { host = '127.0.0.1', port = 0 }: LocalAddress = {},
): Promise<LocalServer> {
  const server = createServer({ keepAliveTimeout: 0 }, listener).listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  return {
    origin: `http://${host}:${typeof address === 'object' ? address?.port : ''}`,
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
}

/** Starts a server that answers by a handler of `Request` and `Response`, whose classes stay the platform's. */
export function serveHandler(
  handle: (request: Request) => Response | Promise<Response>,
  address?: LocalAddress,
): Promise<LocalServer> {
  const listener = getRequestListener(handle, { overrideGlobalObjects: false })
  return listen((request, response) => void listener(request, response), address)
}
