import { createContext } from 'react-router'
import type { MiddlewareFunction } from 'react-router'
import { auth } from './auth.server.ts'
import type { Session } from './auth.server.ts'

/** The session of the request, null if there is none. */
export const sessionContext = createContext<Session>(null)

/** Reads the session for all loaders and actions, and renews it. */
export const readSession: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  // The service sets its own cookies.
  if (new URL(request.url).pathname.startsWith(`${auth.basePath}/`)) return next()
  // An action may end the session, which must not be renewed beside it.
  const { session, headers } = await auth.getSession(request, { renew: request.method === 'GET' })
  context.set(sessionContext, session)
  const response = await next()
  for (const [name, value] of headers) response.headers.append(name, value)
  return response
}
