import { getAccountPages } from '../account/get-account-pages.ts'
import type { AccountPages } from '../account/get-account-pages.ts'
import type { Context, Input } from '../kernel/context.ts'
import { AuthError } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import { getErrorCode } from './page-replies.ts'

/** `GET /account`: shows the account of the session's user (I-54). */
export function showAccount(ctx: Context, { query }: Input): Promise<Reply> {
  const isSaved = query.get('saved') === 'true'
  return getPages(ctx).show(ctx, { error: getErrorCode(query), isSaved })
}

/** `POST /account`: changes the account (I-54). */
export function postAccount(ctx: Context, input: Input): Promise<Reply> {
  return getPages(ctx).change(ctx, input)
}

function getPages({ service }: Context): AccountPages {
  const pages = getAccountPages(service)
  if (pages) return pages
  throw new AuthError('Configuration', 'the option account is not set')
}
