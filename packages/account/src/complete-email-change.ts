import { createAuthUsers, getAccountUrl } from '@latchkey/core/capability/factors'
import type { Context, Reply, FlowTarget } from '@latchkey/core/capability'
import {
  authorize,
  FLOW_LIFETIME,
  redirect,
  withCookies,
  resolveReturnUrl,
  checkRecent,
  limitChange,
} from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import type { Provider, Identity, StoredUser } from '@latchkey/core'
import {
  endedError,
  requireAlive,
  toSignIn,
  withStoredUser,
} from '@latchkey/core/capability/sign-in'
import { renewSession } from './renew-session.ts'

/**
 * Replaces the email address of the session's user by the one that an email has proven (I-54.12). Sign-in links to
 * the previous email address no longer sign this user in.
 *
 * @throws AuthError `SessionRequired` if the session has ended; `OAuthAccountNotLinked` if another user has the
 *   email address; `AccessDenied` if it is not proven, or `callbacks.signIn` refuses it; `Verification` beside another
 *   change; `RateLimited` (I-62.5)
 * @throws Refusal `ConfirmationRequired`
 */
export async function completeEmailChange(
  ctx: Context,
  provider: Provider,
  flow: FlowTarget,
  identity: Identity,
): Promise<Reply> {
  const { service } = ctx
  const { session } = await ctx.readSession()
  const isSame = session !== undefined && session.id === flow.sessionId
  const user = isSame ? await service.storage?.getUser(session.token.sub) : undefined
  if (!session || !user) throw endedError()
  const proven = toSignIn(service.providers, provider, identity)
  const { email, emailVerified } = proven.user
  if (!email || !emailVerified)
    throw new AuthError('AccessDenied', 'the email address is not proven')
  const signIn = withStoredUser({ ...user, email, emailVerified }, proven)
  const elsewhere = await authorize(service.callbacks, signIn)
  if (elsewhere !== undefined) return redirect(await resolveReturnUrl(ctx, elsewhere))
  // It may have ended while the callback was asked, and a second factor may have been enrolled since.
  await requireAlive(ctx, session)
  await checkRecent(ctx, getAccountUrl(ctx), 'factor', FLOW_LIFETIME)
  await limitChange(ctx, user.id)
  await takeTurn(ctx, user)
  const users = createAuthUsers(service, ctx)
  const { user: changed, refused } = await users.update(user.id, { email, emailVerified })
  if (!changed) throw toError(refused)
  const cookies = await renewSession(ctx, { previous: user, user: changed })
  return withCookies(redirect(`${getAccountUrl(ctx)}?saved=true`), cookies)
}

/** Of two links of one user that are opened at the same moment, only one changes the email address. */
async function takeTurn(
  { service: { usedOnce, timeouts }, now }: Context,
  { id, email }: StoredUser,
): Promise<void> {
  const key = JSON.stringify(['changeEmail', id, email])
  const answeredAt = now + Math.ceil(timeouts.answer)
  if (await usedOnce.take(key, answeredAt, now)) return
  throw new AuthError('Verification', 'the email address is being changed by another link')
}

function toError(refused: 'unknown' | 'taken' | 'last'): AuthError {
  if (refused === 'unknown') return endedError()
  return refused === 'taken'
    ? new AuthError('OAuthAccountNotLinked', 'another user has the email address')
    : new AuthError('AccessDenied', 'no email is sent to the email address')
}
