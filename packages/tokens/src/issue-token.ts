import { callJwtAgain, sha256 } from '@latchkey/core/capability'
import type { Context, Session } from '@latchkey/core/capability'
import type { SessionToken } from '@latchkey/core'
import { isDue } from '@latchkey/core/capability/sign-in'
import type { IssuedToken, TokenIssuer } from './token-issuer.ts'

/**
 * Issues a token for an API to the user of a request's session (I-47); undefined without a session. If
 * the session is due, its user and `callbacks.jwt` are asked, and nothing is written (I-58).
 */
export async function issueToken(
  ctx: Context,
  issuer: TokenIssuer,
): Promise<IssuedToken | undefined> {
  const session = await (await ctx.readSession()).toShown()
  if (!session) return undefined
  const token = await getCurrentToken(ctx, issuer, session)
  return token && issueFor(ctx, issuer, { ...session, token })
}

/** Issues a token to the user of a session, with what the session carries. */
export function issueFor(
  ctx: Context,
  issuer: TokenIssuer,
  { expires, token, user, authentication }: Session,
): Promise<IssuedToken> {
  const { now, baseUrl } = ctx
  const request = {
    issuer: baseUrl.href,
    now,
    sessionExpires: expires,
    token,
    user,
    authentication,
  }
  return issuer.issue(request)
}

/**
 * Returns whether the user of a session exists, as far as there is a storage. A renewal may proceed if the
 * storage fails; a token may not.
 *
 * @throws AuthError `Unavailable`
 */
export async function hasUser(
  { service }: Context,
  { user, token, isUnstored }: Session,
): Promise<boolean> {
  if (user || isUnstored || !service.storage) return true
  return (await service.storage.getUser(token.sub)) !== undefined
}

/** Returns what a renewal would put into the session; undefined if the session would end. */
async function getCurrentToken(
  ctx: Context,
  issuer: TokenIssuer,
  session: Session,
): Promise<SessionToken | undefined> {
  const { sessions, callbacks } = ctx.service
  const { id, renewedAt, token } = session
  if (!isDue(sessions.limits, session, ctx.now)) return token
  const key = await sha256(JSON.stringify([id, renewedAt, token]))
  return issuer.getAnswer(key, ctx.now, async () =>
    (await hasUser(ctx, session)) ? callJwtAgain(callbacks, token) : undefined,
  )
}
