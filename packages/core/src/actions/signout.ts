import { emit } from '../callbacks.ts'
import type { Context, Input } from '../context.ts'
import { redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { endSession } from '../session/current-session.ts'
import { getReturnUrl } from '../sign-in/urls.ts'
import { getErrorCode, replySignOutPage, toUserName } from './page-replies.ts'

/** `GET /signout`: shows the page that asks whether to sign out. */
export async function showSignOut(ctx: Context, input: Input): Promise<Reply> {
  const callbackUrl = await getReturnUrl(ctx, input)
  const { session } = await ctx.readSession()
  const signedInAs = session ? toUserName(session) : null
  return replySignOutPage(ctx, { callbackUrl, error: getErrorCode(input.query), signedInAs })
}

/** `POST /signout`: ends the session. Idempotent (I-37). */
export async function signOut(ctx: Context, input: Input): Promise<Reply> {
  const callbackUrl = await getReturnUrl(ctx, input)
  const { session, cookies } = await endSession(ctx)
  if (session) emit(ctx, 'signOut', { token: session.token, sessionId: session.id })
  return withCookies(redirect(callbackUrl), cookies)
}
