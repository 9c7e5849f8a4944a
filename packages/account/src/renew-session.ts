import type { Context, CookieChange } from '@latchkey/core/capability'
import { callJwtAgain, getCauses } from '@latchkey/core/capability'
import { readMember } from '@latchkey/core/capability/options'
import type { StoredUser, SessionToken } from '@latchkey/core'
import { recordEnded, readSession, toSessionToken } from '@latchkey/core/capability/sign-in'

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
