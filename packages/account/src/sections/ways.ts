import {
  createAuthAccounts,
  getAccountUrl,
  hasFactorToSignIn,
  unlink,
  whyKept,
} from '@latchkey/core/capability/factors'
import { getWayTexts } from '@latchkey/core/capability/pages'
import { getAccountTexts } from '../texts.ts'
import { toUrl } from '@latchkey/core/capability'
import type { AccountRow, AccountSection, Context } from '@latchkey/core/capability'
import type { AccountInfo, Provider } from '@latchkey/core'

/** The accounts and email addresses by which a user signs in. Capabilities add theirs, such as passkeys. */
export const waysSection: AccountSection = {
  id: 'ways',
  rank: 20,
  async read(ctx, { user }) {
    const { service, language } = ctx
    const texts = getAccountTexts(language.messages)
    const accounts = await createAuthAccounts(service).list(user.id)
    const held = { user, accounts, hasFactor: await hasFactorToSignIn(ctx, user.id) }
    const hasMore = listLinkable(ctx, accounts).length > 0
    return {
      heading: getWayTexts(language.messages).ways,
      text: texts.waysText,
      rows: accounts.map((each) => toRow(ctx, each, !whyKept(service, held, each))),
      links: hasMore ? [{ url: getAddUrl(ctx), text: texts.addWay }] : [],
      json: { accounts },
    }
  },
  changes: new Map([['unlink', unlink]]),
}

function toRow(
  { service, language: { messages } }: Context,
  { provider, type, providerAccountId: id, createdAt, lastUsedAt }: AccountInfo,
  isRemovable: boolean,
): AccountRow {
  const { name = provider } = { ...service.providers.get(provider) }
  const shown = type === 'email' ? messages.email : name
  const row = { name: shown, facts: [id], createdAt, lastUsedAt }
  if (!isRemovable) return row
  return { ...row, removal: { fields: { action: 'unlink', provider, id }, needs: 'link' } }
}

/** Returns the URL of the page on which the user adds a way to sign in. */
export function getAddUrl(ctx: Context): string {
  return toUrl(ctx, getAccountUrl(ctx), { add: 'true' })
}

/** Returns the providers by which a further account can be linked: a user can have several email addresses. */
export function listLinkable(
  { service }: Context,
  accounts: readonly AccountInfo[],
): readonly Provider[] {
  const linked = new Set(accounts.map(({ provider }) => provider))
  return [...service.providers.values()].filter(
    ({ id, kind = 'account', outOfBand }) =>
      kind === 'account' && (outOfBand !== undefined || !linked.has(id)),
  )
}
