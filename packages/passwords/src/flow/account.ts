import { hasWay, toFactorInfo } from '@latchkey/core/capability/factors'
import type { AccountSection, Asked, Context, HeldFactors } from '@latchkey/core/capability'
import { changed, endAll, requireStorage } from '@latchkey/core/capability'
import { getPasswordTexts } from '../pages/passwords.ts'
import type { StoredUser } from '@latchkey/core'
import { findPasswordFactor, isOwnPassword, PASSWORD } from './password-factor.ts'

/** Creates the password of a user on the account page. */
export function createPasswordAccount(providerId: string): AccountSection {
  return {
    type: PASSWORD,
    rank: 1,
    read: (ctx, user) => readPassword(ctx, user, providerId),
    changes: new Map([['removePassword', removePassword]]),
    isBoth: () => false,
    // The password of an imported user does not sign in before the mailbox is proven (I-55.10).
    isUsable: isOwnPassword,
    actions: { remove: 'removePassword' },
    removal: 'passwordChanged',
  }
}

async function readPassword(
  ctx: Context,
  user: StoredUser,
  providerId: string,
): Promise<HeldFactors> {
  const storage = requireStorage(ctx.service.storage, `providers.${providerId}`, ['factors'])
  const found = await findPasswordFactor(storage, user.id)
  const factor = found && isOwnPassword(found) ? found : undefined
  const { password: typeName, change, add } = getPasswordTexts(ctx.language.messages)
  const json = { password: factor ? toFactorInfo(factor) : null }
  const url = `${ctx.baseUrl.href}/signin/${providerId}?action=change`
  // Without a proven email address there is no password to change, and none can be added.
  if (!user.emailVerified) return { factors: [], json }
  if (!factor) return { factors: [], json, missing: { typeName, link: { url, text: add } } }
  const shown = {
    ...toFactorInfo(factor),
    lastUsedAt: null,
    typeName,
    facts: [],
    link: { url, text: change },
    isRemovable: await hasWay(ctx, user.id, factor),
  }
  return { factors: [shown], json }
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
  await endAll(service, user.id, false)
  await changed({ service, ctx, kind: 'passwordChanged', userId: user.id })
}
