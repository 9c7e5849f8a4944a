import type { Context } from '../kernel/context.ts'
import { callJwtAgain } from '../decisions.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { getCauses } from '../lib/log.ts'
import { readMember } from '../lib/members.ts'
import type { StoredUser } from '../ports/records.ts'
import { recordEnded } from '../session/ended-sessions.ts'
import { readSession } from '../session/read-session.ts'
import type { SessionToken } from '../session/session-claims.ts'
import { toSessionToken } from '../session/session.ts'

/** A user before and after a change. */
interface ChangedUser {
  readonly previous: StoredUser
  readonly user: StoredUser
}

/**
 * Renews the session of a request with what has changed of its user: a session in a cookie keeps what the sign-in knew.
 * The change is stored already: if the storage fails, the session shows it after the next sign-in.
 */
export async function renewSession(
  ctx: Context,
  changed: ChangedUser,
): Promise<readonly CookieChange[]> {
  const { callbacks, log } = ctx.service
  try {
    // Read again: an update of the session may have changed its token meanwhile.
    const held = await readSession(ctx)
    if (!held.session) return []
    const token = await callJwtAgain(callbacks, withChanges(held.session.token, changed))
    if (token) return (await held.continue(token))?.cookies ?? []
    await held.end()
    return [recordEnded(ctx, held.session.id)]
  } catch (thrown) {
    log.error('a session was not renewed after a change', { causes: getCauses(thrown) })
    return []
  }
}

/** Replaces the claims that the session has as the user had them: `callbacks.jwt` may have left out or replaced others. */
function withChanges(token: SessionToken, { previous, user }: ChangedUser): SessionToken {
  const before = toSessionToken({ ...previous })
  const changes = Object.entries(toSessionToken({ ...user })).filter(([claim, value]) => {
    const known = readMember(before, claim)
    return value !== known && readMember(token, claim) === known
  })
  return { ...token, ...Object.fromEntries(changes) }
}
