import { after } from 'next/server.js'
import { replyConfigurationError } from './configuration-error.ts'
import type { NextAuthOptions } from './next-auth-options.ts'
import type { NextService } from './next-service.ts'
import { getRequestTarget, toServiceUrl } from './request-url.ts'

/** A route handler of the App Router. It never rejects. */
export type RouteHandler = (request: Request) => Promise<Response>

/** The route handlers of the service, one for each method that Next.js supports. */
export type RouteHandlers = Readonly<
  Record<'DELETE' | 'GET' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'POST' | 'PUT', RouteHandler>
>

/** Creates the route handlers. All are the same function: the service answers every method. */
export function createRouteHandlers(
  getService: () => Promise<NextService<unknown>>,
  { clientIp }: NextAuthOptions,
): RouteHandlers {
  const handle: RouteHandler = async (request) => {
    const service = await getService().catch(replyConfigurationError(request))
    if (service instanceof Response) return service
    return service.handle(toServiceRequest(request, service), {
      waitUntil: (promise) => after(promise),
      clientIp: () => clientIp?.(request.headers),
    })
  }
  return {
    DELETE: handle,
    GET: handle,
    HEAD: handle,
    OPTIONS: handle,
    PATCH: handle,
    POST: handle,
    PUT: handle,
  }
}

function toServiceRequest(request: Request, service: NextService<unknown>): Request {
  const { method, headers, body, signal } = request
  const url = toServiceUrl(getRequestTarget(request.url), headers, service)
  const init: RequestInit & { readonly duplex: 'half' } = {
    method,
    headers,
    body,
    signal,
    duplex: 'half',
  }
  return url === request.url ? request : new Request(url, init)
}
