import type { Handle } from '@sveltejs/kit/hooks'
import { auth } from './auth.ts'

/** A hook instead of a route, because SvelteKit redirects URLs with a trailing slash before routes. */
export const handle: Handle = async ({ event, resolve }) => {
  if (isServicePath(event.url.pathname)) return auth.handle(event.request)
  const { session, headers } = await auth.getSession(event.request)
  event.locals.session = session
  const response = await resolve(event)
  for (const [name, value] of headers) response.headers.append(name, value)
  return response
}

function isServicePath(path: string): boolean {
  return path === auth.basePath || path.startsWith(`${auth.basePath}/`)
}
