import type { IncomingMessage } from 'node:http'
import { toHeaders } from './node-messages.ts'
import { toOrigin } from './request-url.ts'

/**
 * Returns a request with the headers of the current one, for the methods of the service that take a request: in a server
 * component, a route handler or a server action. Its method is GET, and its URL the origin.
 *
 * @param req The request of `getServerSideProps` or an API route, whose method it has too. It has no body: pass the fields of a
 *   form as `form`
 *
 * @example
 *   import type { NextAuth } from '@latchkey/next'
 *   import { getRequest } from '@latchkey/next'
 *
 *   declare const next: NextAuth
 *   async function readToken() {
 *     const service = await next.service()
 *     return service.getAccessToken(await getRequest(), 'github')
 *   }
 */
export async function getRequest(
  req?: Pick<IncomingMessage, 'headers' | 'method'>,
): Promise<Request> {
  if (req) {
    const { method = 'GET' } = req
    const own = toHeaders(req.headers)
    return new Request(toOrigin(own), { method, headers: own })
  }
  // Imported here, so that a proxy and the Pages Router, which have no such headers, can import this
  // module. With the extension, because Node resolves no other path in a package without `exports`.
  const { headers } = await import('next/headers.js')
  const current = new Headers(await headers())
  return new Request(toOrigin(current), { headers: current })
}
