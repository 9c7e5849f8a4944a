import type { Context } from '../context.ts'
import { redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { errorOf, viewSignOut } from './page-replies.ts'

/** `GET /signout`: the question. */
export async function showSignOut(ctx: Context): Promise<Reply> {
  const callbackUrl = await ctx.returnAddress(ctx.query.get('callbackUrl'))
  return viewSignOut(ctx, { callbackUrl, error: errorOf(ctx) })
}

/** `POST /signout`: the session ends; a second time is harmless (I-37). */
export async function signOut(ctx: Context): Promise<Reply> {
  const { fields } = ctx.form
  const callbackUrl = await ctx.returnAddress(
    fields.get('callbackUrl') ?? ctx.query.get('callbackUrl'),
  )
  const session = await ctx.session()
  await ctx.service.sessions.end(ctx.jar, ctx.site.cookies.session, session)
  if (session) ctx.tell('signOut', { token: session.token })
  return redirect(callbackUrl)
}
