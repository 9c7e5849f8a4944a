import type { Context } from '../kernel/context.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { getCauses } from '../lib/log.ts'
import type { BegunSession } from '../session/current-session.ts'
import type { ResolvedUser } from '../sign-in/resolve-user.ts'
import { rememberUser } from './known-users.ts'
import type { SecurityNotices } from './security-notices.ts'

/**
 * Notifies a user of an account that a sign-in has linked, and of a browser that is new to them. The session has begun:
 * if the storage fails, the browser gets its cookie all the same.
 */
export async function noteSignIn(
  ctx: Context,
  notices: SecurityNotices,
  { kind, signIn }: Pick<ResolvedUser, 'kind' | 'signIn'>,
  { userId }: Pick<BegunSession, 'userId'>,
): Promise<readonly CookieChange[]> {
  if (kind === 'linked') notices.noteLink(ctx, signIn)
  try {
    const { isKnown, cookies } = await rememberUser(ctx, userId)
    // A user who did not exist before has no other browser.
    if (!isKnown && kind !== 'new') notices.note(ctx, { userId, change: 'newBrowser' })
    return cookies
  } catch (thrown) {
    ctx.service.log.error('a new browser was not recognised', { causes: getCauses(thrown) })
    return []
  }
}
