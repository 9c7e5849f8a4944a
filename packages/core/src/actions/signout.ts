import { emit } from '../kernel/emit.ts'
import type { Context, Input } from '../kernel/context.ts'
import { redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { endSession } from '../session/current-session.ts'
import { clearLogoutHint, findLogoutCode } from '../logout/logout-code.ts'
import { getReturnUrl } from '../sign-in/urls.ts'
import { getErrorCode, replySignOutPage, toUserName } from './page-replies.ts'

/** `GET /signout`: shows the page that asks whether to sign out, or ends a logout at the provider (I-48). */
export async function showSignOut(ctx: Context, input: Input): Promise<Reply> {
  const target = await findLogoutCode(ctx.service)?.getNextUrl(ctx, input.query.get('state'))
  if (target !== undefined) return redirect(target)
  const callbackUrl = await getReturnUrl(ctx, input)
  const { session } = await ctx.readSession()
  const signedInAs = session ? toUserName(session) : null
  return replySignOutPage(ctx, { callbackUrl, error: getErrorCode(input.query), signedInAs })
}

/** `POST /signout`: signs out (I-37, I-48). */
export async function signOut(ctx: Context, input: Input): Promise<Reply> {
  return signOutTo(ctx, await getReturnUrl(ctx, input))
}

/**
 * Ends the session, and optionally the session at the provider, and leads to a URL. Idempotent.
 *
 * @param callbackUrl A checked one
 */
export async function signOutTo(ctx: Context, callbackUrl: string): Promise<Reply> {
  const { session, others, cookies } = await endSession(ctx)
  for (const { token, id } of [...(session ? [session] : []), ...others])
    emit(ctx, 'signOut', { token, sessionId: id })
  const further =
    session && (await findLogoutCode(ctx.service)?.begin(ctx, session.id, callbackUrl))
  const hint = further?.cookies ?? clearLogoutHint(ctx)
  return withCookies(redirect(further?.url ?? callbackUrl), [...cookies, ...hint])
}
