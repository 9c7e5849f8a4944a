import type { Handle } from '@sveltejs/kit/hooks'
import { auth } from './auth.ts'

/** A hook instead of a route, because SvelteKit redirects URLs with a trailing slash before routes. */
export const handle: Handle = async ({ event, resolve }) => {
  const { request, locals } = event
  const program = auth.programs?.(request)
  if (program) return program
  if (isServicePath(event.url.pathname)) return auth.handle(request)
  // A form action may end the session, which must not be renewed beside it.
  const renew = request.method === 'GET'
  const { session, headers } = await auth.getSession(request, { renew })
  locals.session = session
  locals.headers = headers
  const response = await resolve(event)
  for (const [name, value] of locals.headers) response.headers.append(name, value)
  return response
}

function isServicePath(path: string): boolean {
  return path === auth.basePath || path.startsWith(`${auth.basePath}/`)
}
