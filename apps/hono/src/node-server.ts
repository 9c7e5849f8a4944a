import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as TcpServer } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'

/** Milliseconds that open requests have when a server stops. */
const STOP_LIMIT = 10_000
/** Milliseconds in which a request that is on its way when a server stops can still arrive. */
const IDLE_WAIT = 1000

/**
 * Creates a server of Node for an application. `c.req.url` has the host of the Host header: a request
 * with several of them is answered with 400, and so is one whose target is an absolute URL, which the
 * library would take in place of that header.
 */
export function createServer({ fetch }: Pick<Hono, 'fetch'>): Server {
  const handle = (request: Request, env: object): Response | Promise<Response> => {
    const { url, headersDistinct } = (env as HttpBindings).incoming
    const isClear = url?.startsWith('/') === true && headersDistinct['host']?.length === 1
    return isClear ? fetch(request, env) : new Response(null, { status: 400 })
  }
  return createAdaptorServer({ fetch: handle, overrideGlobalObjects: false }) as Server
}

/** Accepts no further connection, and finishes open requests. */
export async function stopServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  // Clients send no further request on a connection after such a response.
  server.prependListener('request', (_, response) => response.setHeader('connection', 'close'))
  // `close` of an HTTP server also closes idle connections, on which a request may be on its way.
  TcpServer.prototype.close.call(server)
  setTimeout(() => server.close(), IDLE_WAIT).unref()
  setTimeout(() => server.closeAllConnections(), STOP_LIMIT).unref()
  await closed
}
