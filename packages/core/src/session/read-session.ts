import { hasEnded } from './ended-sessions.ts'
import type { HeldSession } from './held-session.ts'
import { holdSession } from './own-session.ts'
import type { OwnContext } from './own-session.ts'
import type { SessionImports } from './session-imports.ts'

/** What {@link readSession} needs of a request. */
export interface ReadingContext extends OwnContext {
  readonly service: OwnContext['service'] & { readonly imports: SessionImports }
}

/**
 * Reads the session of a request. A session that ended in this browser counts as no session (I-37). A
 * session of a previous service counts only in a browser without the cookie of a Latchkey session (I-45).
 */
export async function readSession(ctx: ReadingContext): Promise<HeldSession> {
  const { service, baseUrl, now } = ctx
  const cookie = ctx.cookies.get(baseUrl.cookies.session.name)
  if (cookie === undefined) {
    return (await service.imports.read(ctx)) ?? holdSession(ctx, undefined, cookie)
  }
  const session = await service.sessions.read(cookie, now)
  const isAlive = session && !hasEnded(ctx, session.id)
  return holdSession(ctx, isAlive ? session : undefined, cookie)
}
