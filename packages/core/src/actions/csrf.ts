import type { Context } from '../context.ts'
import { json } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'

/** `GET /csrf`: the token of this browser, with a cookie where it had none (I-18). */
export async function readCsrf(ctx: Context): Promise<Reply> {
  return json({ csrfToken: await ctx.csrfToken() })
}
