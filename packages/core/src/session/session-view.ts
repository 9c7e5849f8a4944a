import { callDecision } from '../kernel/decisions.ts'
import { AuthError } from '../lib/errors.ts'
import type { DefaultSession } from '../kernel/callbacks.ts'
import type { SessionToken } from './session-claims.ts'
import type { Service } from '../kernel/context.ts'
import type { Session } from './session.ts'

/**
 * Returns what a client sees of a session: the result of `callbacks.session`, or the view of I-33.
 *
 * @throws AuthError `Callback` if the callback throws or returns nothing
 */
export async function toSessionView(
  { service }: { readonly service: Service },
  { expires, token, user, authentication }: Session,
): Promise<unknown> {
  const session = toDefaultSession(token, expires)
  const callback = service.callbacks.session
  if (!callback) return session
  const seen = { session, token, user, authentication }
  const view = await callDecision('callbacks.session', () => callback(seen))
  if (view !== undefined) return view
  throw new AuthError('Callback', 'callbacks.session returned nothing: return what clients see')
}

function toDefaultSession(token: SessionToken, expires: number): DefaultSession {
  const { sub: id, name = null, email = null, email_verified, picture: image = null } = token
  const emailVerified = email !== null && email_verified === true
  return {
    user: { id, name, email, emailVerified, image },
    expires: new Date(expires * 1000).toISOString(),
  }
}
