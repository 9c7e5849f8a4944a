import type { TokenIssuer } from './token-issuer.ts'
import { hasUser, issueFor } from './issue-token.ts'
import type { Context, OwnLimit, Reply } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { withRefusal, json, withCookies, spendLimit } from '@latchkey/core/capability'
import { getCurrentSession, recordEnded, isDue } from '@latchkey/core/capability/sign-in'

/** `POST /token`: issues a token for an API to the user of the session, which is renewed if it is due (I-47, I-58). */
export async function postToken(
  ctx: Context,
  issuer: TokenIssuer,
  perSession: OwnLimit,
): Promise<Reply> {
  const { session: read } = await ctx.readSession()
  await spendLimit(ctx, perSession, read?.id)
  // A renewal proceeds if the storage fails: here that is 503, and what it has said before counts.
  const isAsked = read && isDue(ctx.service.sessions.limits, read, ctx.now)
  const hasEnded = isAsked && !(await hasUser(ctx, read))
  const { session, cookies } = hasEnded
    ? { session: undefined, cookies: [recordEnded(ctx, read.id)] }
    : await getCurrentSession(ctx, { renews: true, imports: true })
  const issue = async (): Promise<Reply> => {
    if (!session) throw new AuthError('SessionRequired', 'a token needs a session')
    return withCookies(json(await issueFor(ctx, issuer, session)), cookies)
  }
  // A session that was renewed gets its cookie all the same, and one that has ended is recorded.
  return withRefusal(issue, () => ({ cookies }))
}

/** `GET /jwks`: returns the public keys, which APIs may keep. */
export function listKeys({ keySet }: TokenIssuer): Reply {
  return { ...json(keySet), cacheControl: 'public, max-age=600' }
}
