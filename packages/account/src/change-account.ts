import { checkOwnOrigin, resolveReturnUrl } from '@latchkey/core/capability'
import { applyChange, getAccountUrl, listSections } from '@latchkey/core/capability/factors'
import type { AccountChange, Context, Input, Reply } from '@latchkey/core/capability'
import { getRowUrl } from './row-key.ts'
import { showAccountPage } from './show-account-page.ts'

/** Changes what a form asks for, and shows the account again, or the page of `callbackUrl` (I-54.2). */
export async function changeAccount(ctx: Context, input: Input): Promise<Reply> {
  checkOwnOrigin(ctx, 'the account')
  const given = input.body.fields.get('callbackUrl')
  const elsewhere = given === undefined ? undefined : await resolveReturnUrl(ctx, given)
  const row = input.body.fields.get('row')
  return applyChange(ctx, input, {
    returnUrl: elsewhere ?? getRowUrl(ctx, row),
    savedUrl: elsewhere ?? `${getAccountUrl(ctx)}?saved=true`,
    find: (action) => findChange(ctx, action),
    show: (shown) => showAccountPage(ctx, { ...shown, row, typed: input.body.fields }),
    showSaved: (gone) => showAccountPage(ctx, { isSaved: true, gone }),
  })
}

/** Each section has its own changes. */
function findChange({ service }: Context, action: string): AccountChange | undefined {
  const found = listSections(service).map(({ changes }) => changes?.get(action))
  return found.find(Boolean)
}
