import type { Context } from '../context.ts'
import { beginFlow } from '../flow.ts'
import { redirect } from '../reply.ts'
import type { Reply } from '../reply.ts'
import { errorOf, ownPage, viewSignIn } from '../views.ts'

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
  const begun = await beginFlow(ctx, ctx.callbackUrl)
  if ('redirect' in begun) return redirect(begun.redirect.href)
  const { id, type } = ctx.provider
  return redirect(ownPage(ctx, `${ctx.site.base}/verify-request`, { provider: id, type }))
}

async function show(ctx: Context, providers: Parameters<typeof viewSignIn>[1]): Promise<Reply> {
  const callbackUrl = await ctx.returnAddress(ctx.query.get('callbackUrl'))
  return viewSignIn(ctx, providers, { callbackUrl, error: errorOf(ctx) })
}
