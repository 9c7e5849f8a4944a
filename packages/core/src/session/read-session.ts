import { hasEnded } from './ended-sessions.ts'
import type { SessionContext, SessionImport } from './session-imports.ts'
import type { Session } from './session.ts'

/** What the cookies of a request say about its session. */
export interface SessionReading {
  readonly session: Session | undefined
  /** The value of the session cookie; undefined if the request has none. */
  readonly cookie: string | undefined
  /** Set if the session comes from a former service and does not have our cookie yet. */
  readonly import: SessionImport | undefined
}

/**
 * Reads the session of a request; one that has ended in this browser is none (I-37). A session of a former service counts only in a browser without a
 * cookie of a Latchkey session (I-45).
 */
export async function readSession(ctx: SessionContext): Promise<SessionReading> {
  const { service, baseUrl, now } = ctx
  const cookie = ctx.cookies.get(baseUrl.cookies.session.name)
  if (cookie !== undefined) {
    const session = await service.sessions.read(cookie, now)
    const isAlive = session && !hasEnded(ctx, session.id)
    return { session: isAlive ? session : undefined, cookie, import: undefined }
  }
  const imported = await service.imports?.read(ctx)
  return { session: imported?.pending.session, cookie, import: imported }
}
