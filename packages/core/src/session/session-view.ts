import { callDecision } from '../decisions.ts'
import type { DefaultSession } from '../config.ts'
import type { SessionToken } from './session-claims.ts'
import type { Service } from '../service.ts'
import type { Session } from './session.ts'

/** Returns what a client sees of a session: the result of `callbacks.session`, or the view of I-33. */
export async function toSessionView(
  { service }: { readonly service: Service },
  { expires, token, user }: Session,
): Promise<unknown> {
  const session = toDefaultSession(token, expires)
  const callback = service.callbacks.session
  if (!callback) return session
  return callDecision('callbacks.session', () => callback({ session, token, user }))
}

function toDefaultSession(token: SessionToken, expires: number): DefaultSession {
  const { sub: id, name = null, email = null, email_verified, picture: image = null } = token
  const emailVerified = email !== null && email_verified === true
  return {
    user: { id, name, email, emailVerified, image },
    expires: new Date(expires * 1000).toISOString(),
  }
}
