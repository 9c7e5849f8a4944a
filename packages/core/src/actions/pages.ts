import type { Context } from '../context.ts'
import { errorRow } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { errorOf, ownPage, viewError, viewVerifyRequest } from './page-replies.ts'

/** Codes whose page says in its status what happened; the others are 400. */
const withOwnStatus: readonly ErrorCode[] = ['Configuration', 'AccessDenied', 'Verification']

/** `GET /error`: the sentence for a code, or the application's own page. */
export function showError(ctx: Context): Reply {
  const error = errorOf(ctx) ?? 'Default'
  const own = ctx.service.pages.error
  if (own !== undefined) return redirect(ownPage(ctx, own, { error }))
  return viewError(ctx, error, withOwnStatus.includes(error) ? errorRow(error).status : 400)
}

/** `GET /verify-request`: check your e-mail. */
export async function showVerifyRequest(ctx: Context): Promise<Reply> {
  return viewVerifyRequest(ctx)
}
