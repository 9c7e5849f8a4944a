import { createServerFn } from '@tanstack/react-start'
import { appendResponseHeader, getRequest } from '@tanstack/react-start/server'
import { auth } from './auth.ts'

/** Returns the user of the session, null if there is none. The session is renewed. */
export const getUser = createServerFn().handler(async () => {
  const { session, headers } = await auth.getSession(getRequest())
  for (const [name, value] of headers) appendResponseHeader(name, value)
  return session && session.user
})
