import type { Context } from '../kernel/context.ts'
import { json, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'

/** `GET /csrf`: returns the browser's CSRF token, with a cookie if it is new (I-18). */
export async function readCsrf(ctx: Context): Promise<Reply> {
  const { token, cookies } = await ctx.getCsrfToken()
  return withCookies(json({ csrfToken: token }), cookies)
}
