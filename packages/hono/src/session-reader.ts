import type { Auth, CurrentSession } from '@latchkey/core'
import type { SessionVariables } from './variables.ts'

/** Reads the session of one request, at most once. */
export interface SessionReader<Session> extends SessionVariables<Session> {
  /**
   * Prevents later readings from renewing the session: the response exists, so the browser would not
   * get the new cookie.
   *
   * @returns The headers to add to the response; undefined if the session has not been read. Never
   *   rejects.
   */
  readonly close: () => Promise<Headers | undefined>
}

/** Creates a reader, which reads nothing until it is called. */
export function createSessionReader<Session>(
  auth: Auth<Session>,
  request: Request,
): SessionReader<Session> {
  let reading: Promise<CurrentSession<Session>> | undefined
  let isClosed = false
  const read = (): Promise<CurrentSession<Session>> =>
    (reading ??= auth.getSession(request, { renew: !isClosed }))
  return {
    session: async () => (await read()).session,
    async close() {
      isClosed = true
      return reading?.then(
        ({ headers }) => headers,
        () => new Headers(), // The caller of `session` has received the error.
      )
    },
  }
}
