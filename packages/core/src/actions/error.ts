import type { Context, Input } from '../context.ts'
import { getErrorRow } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { toUrl } from '../sign-in/urls.ts'
import { getErrorCode, replyErrorPage } from './page-replies.ts'

/** The codes whose error page has the code's own status; the page of any other is a 400. */
const withOwnStatus: readonly ErrorCode[] = ['Configuration', 'AccessDenied', 'Verification']

/** `GET /error`: shows the sentence of a code, or redirects to `pages.error`. */
export function showError(ctx: Context, { query }: Input): Reply {
  const error = getErrorCode(query) ?? 'Default'
  const own = ctx.service.pages.error
  if (own !== undefined) return redirect(toUrl(ctx, own, { error }))
  return replyErrorPage(ctx, error, withOwnStatus.includes(error) ? getErrorRow(error).status : 400)
}
