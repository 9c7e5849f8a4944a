import { hasEnded } from './ended-sessions.ts'
import type { HeldSession } from './held-session.ts'
import { holdSession } from './own-session.ts'
import type { OwnContext } from './own-session.ts'
import type { SessionImports } from './session-imports.ts'

/** What {@link readSession} needs of a request. */
export interface ReadingContext extends OwnContext {
  readonly service: OwnContext['service'] & {
    readonly imports: SessionImports
  }
}

/**
 * Reads the session of a request. A session that ended in this browser counts as no session (I-37). A session
 * of a previous service counts only in a browser without a Latchkey session (I-45).
 *
 * @param mayLag Whether a replica may answer (I-34)
 */
export async function readSession(ctx: ReadingContext, mayLag?: boolean): Promise<HeldSession> {
  const { service, baseUrl, now } = ctx
  const { sessions, imports } = service
  const cookie = ctx.cookies.get(baseUrl.cookies.session.name)
  const session = cookie === undefined ? undefined : await sessions.read(cookie, now, mayLag)
  if (session && !hasEnded(ctx, session.id)) return holdSession(ctx, session, cookie)
  return (await imports.read(ctx)) ?? holdSession(ctx, undefined)
}
