import { after } from 'next/server.js'
import { replyConfigurationError } from './configuration-error.ts'
import type { NextAuthOptions } from './next-auth-options.ts'
import type { NextService } from './next-service.ts'
import { getRequestTarget, removeRouteParameters, toServiceUrl } from './request-url.ts'
import type { RouteParameters } from './request-url.ts'

/** What Next.js passes to a route handler besides the request. */
export interface RouteContext {
  /** The parameters of the route. */
  readonly params: Promise<RouteParameters>
}

/** A route handler of the App Router. Next.js 15 refuses a type whose second parameter is optional. */
export interface RouteHandler {
  (request: Request): Promise<Response>
  (request: Request, context: RouteContext): Promise<Response>
}

/** The route handlers of the service, one for each method that Next.js supports. */
export type RouteHandlers = Readonly<
  Record<'DELETE' | 'GET' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'POST' | 'PUT', RouteHandler>
>

/** Creates the route handlers. All are the same function: the service answers every method. */
export function createRouteHandlers(
  getService: () => Promise<NextService<unknown>>,
  { clientIp }: NextAuthOptions,
): RouteHandlers {
  const handle: RouteHandler = async (request: Request, context?: RouteContext) => {
    const service = await getService().catch(replyConfigurationError(request))
    if (service instanceof Response) return service
    const target = removeRouteParameters(
      getRequestTarget(request.url),
      (await context?.params) ?? {},
    )
    const options = {
      waitUntil: (promise: Promise<unknown>) => after(promise),
      clientIp: () => clientIp?.(request.headers),
    }
    const serviceRequest = toServiceRequest(request, target, service)
    return service.programs?.(serviceRequest, options) ?? service.handle(serviceRequest, options)
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

function toServiceRequest(
  request: Request,
  target: string,
  service: NextService<unknown>,
): Request {
  const { method, headers, body, signal } = request
  const url = toServiceUrl(target, headers, service)
  const init: RequestInit & { readonly duplex: 'half' } = {
    method,
    headers,
    body,
    signal,
    duplex: 'half',
  }
  return url === request.url ? request : new Request(url, init)
}
