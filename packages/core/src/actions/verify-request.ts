import type { Context, Input } from '../kernel/context.ts'
import type { Reply } from '../http/reply.ts'
import { getErrorCode, replyVerifyRequestPage } from './page-replies.ts'

/** `GET /verify-request`: says that an email was sent. */
export function showVerifyRequest(ctx: Context, { query }: Input): Promise<Reply> {
  const provider = ctx.service.providers.get(query.get('provider') ?? '')
  return replyVerifyRequestPage(ctx, provider, { error: getErrorCode(query) })
}
