import { appendResponseHeader, defineEventHandler, getRequestURL, toWebRequest } from 'h3'
import { auth } from '../utils/auth.ts'
import type { Session } from '../utils/auth.ts'

declare module 'h3' {
  interface H3EventContext {
    session: Session
  }
}

/** A middleware instead of a route, because every page gets the session. */
export default defineEventHandler(async (event) => {
  const request = toWebRequest(event)
  const program = auth.programs?.(request)
  if (program) return program
  if (isServicePath(getRequestURL(event).pathname)) return auth.handle(request)
  const { session, headers } = await auth.getSession(request)
  for (const [name, value] of headers) appendResponseHeader(event, name, value)
  event.context.session = session
  return undefined
})

function isServicePath(path: string): boolean {
  return path === auth.basePath || path.startsWith(`${auth.basePath}/`)
}
