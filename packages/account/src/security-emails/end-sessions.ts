import { isJsonForm } from '@latchkey/core/capability/pages'
import { toPageContext, json, page, withCookies, getSignInUrl } from '@latchkey/core/capability'
import { revokeAllSessions } from '@latchkey/core/capability/factors'
import type { Context, Input, Reply } from '@latchkey/core/capability'
import { renderEndedPage, renderEndPage } from '../pages/end-sessions.ts'
import { openEndToken, takeEndToken } from './end-token.ts'
import { forgetBrowsers } from './known-users.ts'

/** Shows the page that asks whether to end all sessions. It changes nothing: some mail programs open links. */
export async function showEndPage(ctx: Context, { query }: Input): Promise<Reply> {
  const token = query.get('token')
  await openEndToken(ctx, token)
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const action = `${ctx.baseUrl.href}/end-sessions`
  const fields = { token: token ?? '', csrfToken }
  return withCookies(page(renderEndPage({ ...toPageContext(ctx), action, fields })), cookies)
}

/** Ends all sessions of a user, and what could become one (I-52.4). */
export async function endAllSessions(ctx: Context, input: Input): Promise<Reply> {
  const { service, now } = ctx
  const token = await openEndToken(ctx, input.body.fields.get('token'))
  // Used up first: if the storage fails then, the link of another email works.
  await takeEndToken(ctx, token)
  await revokeAllSessions(service, token.userId, { ctx })
  // Afterwards: while a session lives, its browser becomes known again.
  await forgetBrowsers(service, token.userId, now)
  const signInUrl = getSignInUrl(ctx)
  if (isJsonForm(ctx, input)) return json({ url: signInUrl })
  return page(renderEndedPage({ ...toPageContext(ctx), signInUrl }))
}
