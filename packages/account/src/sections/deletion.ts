import { createAuthUsers } from '@latchkey/core/capability/factors'
import { isJsonForm } from '@latchkey/core/capability/pages'
import { getAccountTexts } from '../texts.ts'
import { page, redirect, toPageContext, toRefusal, withCookies } from '@latchkey/core/capability'
import type { AccountSection, Asked, Context, CookieChange, Reply } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { clearLogoutHint, endSession } from '@latchkey/core/capability/sign-in'
import { renderDeletedPage } from '../pages/account.ts'

/** Deletes a user. It is the last section. */
export const deletionSection: AccountSection = {
  id: 'delete',
  rank: 100,
  async read({ language: { messages } }, { user }) {
    const { deleteAccount: heading, deleteText: text } = getAccountTexts(messages)
    const fields = { action: 'deleteAccount', sure: 'true' }
    const removal = { fields, heading, text, button: heading, needs: 'factor' } as const
    return { heading, text, rows: [{ name: user.email ?? user.name ?? user.id, removal }] }
  },
  changes: new Map([['deleteAccount', deleteAccount]]),
}

async function deleteAccount({ ctx, input, user, get, ...asked }: Asked): Promise<Reply> {
  if (get('sure') !== 'true') throw new AuthError('Default', 'the field sure is missing')
  await asked.checkRecent('factor')
  await createAuthUsers(ctx.service, ctx).delete(user.id)
  const cookies = await endOwnSession(ctx)
  const deleted = isJsonForm(ctx, input)
    ? redirect(ctx.baseUrl.origin)
    : page(renderDeletedPage(toPageContext(ctx)))
  return withCookies(deleted, [...cookies, ...clearLogoutHint(ctx)])
}

/** Ends the session of the request. With its user it has ended in any case, also if the storage fails. */
async function endOwnSession(ctx: Context): Promise<readonly CookieChange[]> {
  try {
    return (await endSession(ctx)).cookies
  } catch (thrown) {
    return toRefusal(thrown).options.cookies ?? []
  }
}
