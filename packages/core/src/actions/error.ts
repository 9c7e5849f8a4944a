import type { Context, Input } from '../kernel/context.ts'
import { getErrorRow } from '../lib/errors.ts'
import type { ErrorCode } from '../ports/error-code.ts'
import { redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { getReturnUrl, toUrl } from '../sign-in/urls.ts'
import { getErrorCode, replyErrorPage } from './page-replies.ts'

/** The codes whose error page has the code's own status; the page of any other is a 400. */
const withOwnStatus: readonly ErrorCode[] = ['Configuration', 'AccessDenied', 'Verification']

/** `GET /error`: shows the sentence of a code, or redirects to `pages.error`. */
export async function showError(ctx: Context, input: Input): Promise<Reply> {
  const error = getErrorCode(input.query) ?? 'Default'
  const own = ctx.service.pages.error
  if (own !== undefined) return redirect(toUrl(ctx, own, { error }))
  const status = withOwnStatus.includes(error) ? getErrorRow(error).status : 400
  return replyErrorPage(ctx, error, { status, callbackUrl: await getReturnUrl(ctx, input) })
}
