import { provesUser } from '../lib/proves-user.ts'
import type { Context } from '../kernel/context.ts'
import type { Provider } from '../ports/provider.ts'
import type { Session } from '../session/session.ts'

/** Returns the ways in which the user of a session can confirm; an email if there is no other (I-51.5). */
export async function listWays(ctx: Context, session: Session): Promise<readonly Provider[]> {
  const able = [...ctx.service.providers.values()].filter(({ canConfirm = true }) => canConfirm)
  const isWay = await createIsWay(ctx, session)
  const ways = able.filter(isWay)
  if (ways.length > 0) return ways
  const { emailVerified = session.token.email_verified === true } = session.user ?? {}
  return emailVerified ? able.filter(({ outOfBand }) => outOfBand) : []
}

/**
 * Returns whether an email to the proven email address may confirm (I-51.5). A user who signs in by another email
 * address, and by a provider that can confirm, has another way. Without a list of accounts that is unknown.
 */
export async function canConfirmByMailbox(
  ctx: Context,
  session: Session,
  provider: Provider,
): Promise<boolean> {
  const ways = await listWays(ctx, session)
  const isKnown = ctx.service.storage?.capabilities.includes('accountLists')
  return ways.includes(provider) && (!isKnown || ways.every(({ outOfBand }) => outOfBand))
}

/** Returns whether the user of a session signs in by a provider, as far as that is known. */
async function createIsWay(
  ctx: Context,
  { account, token, isUnstored }: Session,
): Promise<(provider: Provider) => boolean> {
  const { storage } = ctx.service
  if (!storage || isUnstored) {
    const [prefix = ''] = token.sub.split(':')
    return (provider) =>
      provider.id === prefix ||
      Boolean(provider.subjectAsUserId || provesUser(provider) || provider.userId)
  }
  if (!storage.capabilities.includes('accountLists')) return () => true
  const accounts = await storage.listAccounts(token.sub)
  const ids = new Set(accounts.map(({ provider }) => provider))
  // The accounts of credentials users need not be stored (I-43). Any other account may be unlinked since the sign-in.
  const types = await listFactorTypes(ctx, token.sub)
  const hasNone = accounts.length === 0 && types.size === 0
  const isLikely = (id: string): boolean => hasNone || account?.provider === id
  return ({ id, kind, factorType }) => {
    if (factorType !== undefined) return types.has(factorType)
    return ids.has(id) || (kind === 'user' && isLikely(id))
  }
}

/** Returns the types of the factors by which a user signs in (I-55). */
async function listFactorTypes(
  { service: { storage, capabilities } }: Context,
  userId: string,
): Promise<ReadonlySet<string>> {
  const { signsInBy } = capabilities
  if (!storage || signsInBy.length === 0) return new Set()
  const factors = await storage.listFactors(userId)
  return new Set(factors.map(({ type }) => type).filter((type) => signsInBy.includes(type)))
}
