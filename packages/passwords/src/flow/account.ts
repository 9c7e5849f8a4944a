import { hasWay, toFactorInfo } from '@latchkey/core/capability/factors'
import type {
  AccountRow,
  AccountSection,
  Asked,
  Context,
  FactorKind,
  SectionContent,
  SignedInUser,
} from '@latchkey/core/capability'
import { changed, endAll } from '@latchkey/core/capability'
import { getPasswordTexts } from '../texts.ts'
import { findPasswordFactor, isOwnPassword, PASSWORD } from './password-factor.ts'

/** What the service knows of passwords as factors. */
export const passwordKind: FactorKind = {
  type: PASSWORD,
  // The password of an imported user does not sign in before the mailbox is proven (I-55.10).
  isUsable: isOwnPassword,
  removal: 'passwordChanged',
}

/** Creates the password of a user on the account page. */
export function createPasswordSection(providerId: string): AccountSection {
  return {
    id: 'ways',
    rank: 21,
    read: (ctx, signedIn) => readPassword(ctx, signedIn, providerId),
    changes: new Map([['removePassword', removePassword]]),
  }
}

async function readPassword(
  ctx: Context,
  { storage, user }: Pick<SignedInUser, 'storage' | 'user'>,
  providerId: string,
): Promise<SectionContent> {
  const found = await findPasswordFactor(storage, user.id)
  const factor = found && isOwnPassword(found) ? found : undefined
  const { password: name, change, add } = getPasswordTexts(ctx.language.messages)
  const json = { password: factor ? toFactorInfo(factor) : null }
  const url = `${ctx.baseUrl.href}/signin/${providerId}?action=change`
  // Without a proven email address there is no password to change, and none can be added.
  if (!user.emailVerified) return { json }
  if (!factor) return { rows: [{ name, link: { url, text: add } }], json }
  const row: AccountRow = { name, createdAt: factor.createdAt, link: { url, text: change } }
  const isRemovable = await hasWay(ctx, user.id, factor)
  const removal = { fields: { action: 'removePassword' }, needs: 'factor' } as const
  return { rows: [isRemovable ? { ...row, removal } : row], json }
}

async function removePassword({ ctx, user, storage, ...asked }: Asked): Promise<void> {
  const { service } = ctx
  const password = await findPasswordFactor(storage, user.id)
  if (!password || !isOwnPassword(password)) throw asked.refuse(404, 'gone')
  await asked.checkRecent('factor')
  const { type, id } = password
  const isOnly = !(await hasWay(ctx, user.id, password))
  const removed = isOnly ? 'last' : await storage.deleteFactor(user.id, type, id)
  if (removed === 'last') throw asked.refuse(409, 'lastWay')
  // A sign-in that has begun with the password ends.
  await endAll(service, user.id, 'passwordRemoved')
  await changed({ service, ctx, kind: 'passwordChanged', userId: user.id })
}
