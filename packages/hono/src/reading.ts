import type { Auth, CurrentSession } from '@latchkey/core'
import type { SessionVariables } from './variables.ts'

/** The reading of one request's session. */
export interface Reading<Session> extends SessionVariables<Session> {
  /**
   * Says that the response is there. From now on a session is read without being renewed, because
   * nothing would bring the browser its new cookie.
   *
   * @returns What the response is to carry; undefined where nobody has asked for the session. It never rejects.
   */
  readonly close: () => Promise<Headers | undefined>
}

/** Reads nothing yet. */
export function readingOf<Session>(auth: Auth<Session>, request: Request): Reading<Session> {
  let found: Promise<CurrentSession<Session>> | undefined
  let isOver = false
  const find = (): Promise<CurrentSession<Session>> =>
    (found ??= auth.getSession(isOver ? withoutEffect(request) : request))
  return {
    session: async () => (await find()).session,
    async close() {
      isOver = true
      return found?.then(
        ({ headers }) => headers,
        () => new Headers(), // Whoever asked for the session has got the error.
      )
    },
  }
}

/** The same visitor, by a method that changes nothing (I-5). */
function withoutEffect({ url, headers }: Request): Request {
  return new Request(url, { method: 'HEAD', headers })
}
