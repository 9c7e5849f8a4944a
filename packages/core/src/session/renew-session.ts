import type { Awaitable } from '../ports/awaitable.ts'
import { getCauses } from '../lib/log.ts'
import type { Log } from '../lib/log.ts'
import type { StoredEvent } from '../ports/records.ts'
import type { SessionContext } from './held-session.ts'
import type { SessionToken } from './session-claims.ts'
import type { Session } from './session.ts'

/** What {@link renewSession} needs of a request. */
export interface RenewingContext extends SessionContext {
  readonly service: SessionContext['service'] & {
    /** Returns whether a session may be renewed, as capabilities decide. */
    readonly isStillEnough: (session: Session) => Promise<boolean>
    readonly log: Log
  }
  /** Ends a session as `auth.sessions.revoke` does. */
  revokeSession(session: Session): Promise<void>
  /** Returns what is stored of the end of a session of which the application has no event. */
  toEndEvents(session: Session): readonly StoredEvent[]
}

/** How {@link renewSession} renews a session. */
interface Renewing {
  /** What it carries from now on. Default: what `toToken` returns; undefined ends the session */
  readonly given: SessionToken | undefined
  readonly toToken: (token: SessionToken) => Awaitable<SessionToken | undefined>
  /** Stored in the step. */
  readonly events: readonly StoredEvent[] | undefined
}

/**
 * Renews a session (I-35). If its user needs a second factor by now, the session ends (I-52.14); if that cannot be decided, it stays
 * as it is.
 *
 * @returns Undefined if the session has ended
 *
 * @throws AuthError `Callback` if a given token cannot be stored, because `secondFactor.require` throws
 */
export async function renewSession(
  ctx: RenewingContext,
  session: Session,
  { given, toToken, events }: Renewing,
): Promise<Session | undefined> {
  const { sessions, log } = ctx.service
  let isEnough: boolean
  try {
    isEnough = await ctx.service.isStillEnough(session)
  } catch (thrown) {
    if (given) throw thrown
    log.error('a session was not renewed', { causes: getCauses(thrown) })
    return session
  }
  if (!isEnough) {
    await ctx.revokeSession(session)
    return undefined
  }
  const token = given ?? (await toToken(session.token))
  if (!token) {
    await sessions.end(session, ctx.toEndEvents(session))
    return undefined
  }
  return sessions.renew(session, { token, now: ctx.now, events })
}
