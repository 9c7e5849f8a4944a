import type { Handle } from '@sveltejs/kit/hooks'
import { auth } from './auth.ts'

/** A hook and no route: before routes, SvelteKit redirects addresses with a trailing slash. */
export const handle: Handle = async ({ event, resolve }) => {
  if (isOwn(event.url.pathname)) return auth.handle(event.request)
  const { session, headers } = await auth.getSession(event.request)
  event.locals.session = session
  const response = await resolve(event)
  for (const line of headers.getSetCookie()) response.headers.append('set-cookie', line)
  return response
}

function isOwn(path: string): boolean {
  return path === auth.basePath || path.startsWith(`${auth.basePath}/`)
}
