import { callJwtAgain } from '../kernel/decisions.ts'
import type { Callbacks } from '../kernel/callbacks.ts'
import { enter, getTokenCookies } from './held-session.ts'
import type { ContinuedSession, HeldSession } from './held-session.ts'
import type { StoredEvent } from '../ports/records.ts'
import { renewSession } from './renew-session.ts'
import type { RenewingContext } from './renew-session.ts'
import type { SessionToken } from './session-claims.ts'
import { isDue } from './session.ts'
import type { Session } from './session.ts'

/** What {@link holdSession} needs of a request. */
export interface OwnContext extends RenewingContext {
  readonly service: RenewingContext['service'] & {
    readonly callbacks: Callbacks<unknown, SessionToken>
  }
}

/**
 * Holds the session of our own cookie.
 *
 * @param session Undefined if the request holds none
 * @param cookie The value of its cookie
 */
export function holdSession(
  ctx: OwnContext,
  session: Session | undefined,
  cookie = '',
): HeldSession {
  const { sessions } = ctx.service
  return {
    session,
    continuesBy: 'renews',
    replaces: session?.id,
    toShown: async () => session,
    continue: async (token, events) =>
      session && continueSession(ctx, session, cookie, token, events),
    settle: async () => [],
    end: async (events) => session && sessions.end(session, events),
  }
}

async function continueSession(
  ctx: OwnContext,
  session: Session,
  secret: string,
  given: SessionToken | undefined,
  events: readonly StoredEvent[] | undefined,
): Promise<ContinuedSession | undefined> {
  const { sessions, callbacks } = ctx.service
  if (!given && !isDue(sessions.limits, session, ctx.now)) {
    return { session, cookies: await getTokenCookies(ctx, session) }
  }
  const toToken = (token: SessionToken): Promise<SessionToken | undefined> =>
    callJwtAgain(callbacks, token)
  const renewed = await renewSession(ctx, session, { given, toToken, events })
  return renewed && { session: renewed, cookies: [await enter(ctx, { session: renewed, secret })] }
}
