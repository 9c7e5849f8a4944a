import type { Context, Input } from '../kernel/context.ts'
import { text } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { getSecurityNotices } from '../security-emails/get-security-notices.ts'

/**
 * `GET /end-sessions`: shows the page that asks whether to end all sessions (I-62). `POST /end-sessions` ends them.
 * Without the option the path has no route.
 */
export async function endSessions(ctx: Context, input: Input): Promise<Reply> {
  const reply = await getSecurityNotices(ctx.service)?.answer(ctx, input)
  return reply ?? text(404, 'Not Found')
}
