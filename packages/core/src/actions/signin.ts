import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import { beginFlow } from '../sign-in/flow.ts'
import { redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { errorOf, verifyRequestUrl, viewSignIn } from './page-replies.ts'

/** `GET /signin`: every provider. */
export async function showSignIn(ctx: Context): Promise<Reply> {
  return show(ctx, [...ctx.service.providers.values()])
}

/** `GET /signin/:provider`: that one alone. It starts nothing: a link must not sign anybody in. */
export async function showProvider(ctx: Context): Promise<Reply> {
  return show(ctx, [ctx.provider])
}

/** `POST /signin/:provider`: off to the identity provider, or to the mailbox. */
export async function startSignIn(ctx: Context): Promise<Reply> {
  ctx.callbackUrl = await ctx.returnAddress(
    ctx.form.fields.get('callbackUrl') ?? ctx.query.get('callbackUrl'),
  )
  const purpose = ctx.form.fields.get('link') === 'true' ? 'link' : 'signIn'
  if (purpose === 'link') await assertLinkable(ctx)
  const begun = await beginFlow(ctx, ctx.callbackUrl, purpose)
  return redirect('redirect' in begun ? begun.redirect.href : verifyRequestUrl(ctx))
}

/** A further account is linked to somebody who is signed in, and stored (I-39). */
async function assertLinkable(ctx: Context): Promise<void> {
  if (!ctx.service.storage) throw new AuthError('Configuration', 'link needs the option storage')
  if (!(await ctx.session())) throw new AuthError('SessionRequired', 'nobody is signed in')
}

async function show(ctx: Context, providers: Parameters<typeof viewSignIn>[1]): Promise<Reply> {
  const callbackUrl = await ctx.returnAddress(ctx.query.get('callbackUrl'))
  return viewSignIn(ctx, providers, { callbackUrl, error: errorOf(ctx) })
}
