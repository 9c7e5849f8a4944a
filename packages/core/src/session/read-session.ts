import type { Keys } from '../crypto/seal.ts'
import { hasEnded } from './ended-sessions.ts'
import type { HeldSession } from './held-session.ts'
import { holdSession } from './own-session.ts'
import type { OwnContext } from './own-session.ts'
import type { SessionImports } from './session-imports.ts'

/** What {@link readSession} needs of a request. */
export interface ReadingContext extends OwnContext {
  readonly service: OwnContext['service'] & {
    readonly imports: SessionImports
    readonly keys: Pick<Keys, 'session'>
  }
}

/**
 * Reads the session of a request. A session that ended in this browser counts as no session (I-37), and so
 * does a cookie with an unknown `kid`, which stays (I-36). A session of a previous service counts only in a
 * browser without the cookie of a Latchkey session (I-45).
 *
 * @param mayLag Whether a replica may answer (I-34)
 */
export async function readSession(ctx: ReadingContext, mayLag?: boolean): Promise<HeldSession> {
  const { service, baseUrl, now } = ctx
  const { sessions, keys, imports } = service
  const cookie = ctx.cookies.get(baseUrl.cookies.session.name)
  const session = cookie === undefined ? undefined : await sessions.read(cookie, now, mayLag)
  const isAlive = session && !hasEnded(ctx, session.id)
  if (isAlive) return holdSession(ctx, session, cookie)
  const isOurs = cookie !== undefined && !(await keys.session.namesUnknownKey(cookie))
  if (isOurs) return holdSession(ctx, undefined, cookie)
  return (await imports.read(ctx)) ?? holdSession(ctx, undefined, undefined)
}
