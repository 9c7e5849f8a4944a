import { createAuthUsers } from '@latchkey/core/capability/factors'
import { getWayTexts } from '@latchkey/core/capability/pages'
import { getAccountTexts } from '../texts.ts'
import { redirect, withCookies } from '@latchkey/core/capability'
import type { AccountRow, AccountSection, Asked, Context, Reply } from '@latchkey/core/capability'
import type { Provider, StoredUser } from '@latchkey/core'
import { renewSession } from '../renew-session.ts'

/** Characters of a user's name, as a storage keeps it (I-40). */
const MAX_NAME = 255

/** The name and the email address of a user. */
export const profileSection: AccountSection = {
  id: 'profile',
  rank: 10,
  async read(ctx, { user: { id, name, email, emailVerified, image } }) {
    const { profile, profileText } = getAccountTexts(ctx.language.messages)
    return {
      heading: profile,
      text: profileText,
      rows: [toNameRow(ctx, name), toEmailRow(ctx, { email, emailVerified })],
      json: { user: { id, name, email, emailVerified, image } },
    }
  },
  changes: new Map([['changeName', changeName]]),
}

function toNameRow({ language: { messages } }: Context, name: string | null): AccountRow {
  const { name: label } = getWayTexts(messages)
  const input = { name: 'name', label, value: name ?? '', maxLength: MAX_NAME }
  const inputs = [{ ...input, autocomplete: 'name' }]
  return { name: label, form: { fields: { action: 'changeName' }, inputs } }
}

/** The email address is changed by the email that proves the new one (I-54.11). */
function toEmailRow(
  { service, baseUrl, language: { messages } }: Context,
  { email, emailVerified }: Pick<StoredUser, 'email' | 'emailVerified'>,
): AccountRow {
  const texts = getAccountTexts(messages)
  const isUnproven = email !== null && !emailVerified
  const row = {
    name: messages.email,
    facts: [email ?? '–', isUnproven ? texts.notVerified : undefined],
  }
  const provider = [...service.providers.values()].find(isEmailProvider)
  if (!provider) return row
  const input = {
    name: 'email',
    label: messages.email,
    type: 'email',
    autocomplete: 'email',
  } as const
  return {
    ...row,
    change: {
      url: `${baseUrl.href}/signin/${provider.id}`,
      fields: { changeEmail: 'true' },
      inputs: [{ ...input, maxLength: 254, required: true }],
      heading: texts.changeEmail,
      text: texts.changeEmailText,
      button: messages.continue,
      needs: 'factor',
    },
  }
}

/** Returns whether a provider sends emails, and its form asks for `email`, as the form of the page does. */
export function isEmailProvider({ type, outOfBand, fields }: Provider): boolean {
  return type === 'email' && outOfBand !== undefined && 'email' in { ...fields }
}

async function changeName({ ctx, user, get, savedUrl, ...asked }: Asked): Promise<Reply> {
  const name = get('name').trim() || null
  const users = createAuthUsers(ctx.service, ctx)
  const { user: renamed } = await asked.checkName(MAX_NAME, () => users.update(user.id, { name }))
  const cookies = renamed ? await renewSession(ctx, { previous: user, user: renamed }) : []
  return withCookies(redirect(savedUrl, 303), cookies)
}
