import type { Context, FactorKind, Service } from '../kernel/context.ts'
import type { AccountInfo, Factor, StoredUser } from '../ports/records.ts'
import { isSameEmail } from '../sign-in/proven-email.ts'

/** A user with the accounts by which the user signs in. */
interface Held {
  readonly user: Pick<StoredUser, 'email' | 'emailVerified'>
  readonly accounts: readonly AccountInfo[]
  /** Whether the user can sign in by a factor, such as a password or a passkey. */
  readonly hasFactor: boolean
}

/**
 * Returns why an account of a user must stay, if it must. `isEmail`: the verified email address would link its mailbox
 * again · `lastWay`: the user has no password or passkey, and no other account has a provider that is configured
 */
export function whyKept(
  { providers }: Service,
  { user, accounts, hasFactor }: Held,
  { provider, providerAccountId }: Pick<AccountInfo, 'provider' | 'providerAccountId'>,
): 'isEmail' | 'lastWay' | undefined {
  const isRemoved = (each: AccountInfo): boolean =>
    each.provider === provider && each.providerAccountId === providerAccountId
  if (!accounts.some(isRemoved)) return undefined
  const { type, linkByVerifiedEmail } = { ...providers.get(provider) }
  const isOwn = type === 'email' && user.emailVerified && isSameEmail(user.email, providerAccountId)
  if (isOwn && linkByVerifiedEmail) return 'isEmail'
  const others = accounts.filter((each) => !isRemoved(each) && providers.has(each.provider))
  return others.length === 0 && !hasFactor ? 'lastWay' : undefined
}

/** Where a user signs in: a request, or a call of the server. */
type Place = Pick<Context, 'service'> & Partial<Pick<Context, 'baseUrl'>>

/** Returns whether a user can sign in by a factor whose provider is configured. */
export async function hasFactorToSignIn(
  place: Place,
  userId: string,
  removed?: Pick<Factor, 'type' | 'id'>,
): Promise<boolean> {
  const { service } = place
  const { capabilities, storage } = service
  const { signsInBy } = capabilities
  if (!storage || signsInBy.length === 0) return false
  const factors = await storage.listFactors(userId)
  const others = factors.filter(({ type, id }) => type !== removed?.type || id !== removed.id)
  return others.some(
    (factor) =>
      signsInBy.includes(factor.type) &&
      isUsable(place, factor) &&
      isEnough(service, factor, others),
  )
}

/** Returns whether a factor signs in, as far as its capability says. */
function isUsable({ service, baseUrl }: Place, factor: Factor): boolean {
  const origin = baseUrl?.origin ?? service.origin
  return findKind(service, factor.type)?.isUsable(factor, origin) ?? true
}

/** Returns what a capability says of the factors of a type by which users sign in. */
export function findKind(
  { capabilities }: Pick<Service, 'capabilities'>,
  type: string,
): FactorKind | undefined {
  return capabilities.list.find(({ factor }) => factor?.type === type)?.factor
}

/** A factor that is asked for as a second one signs in only if it is both factors, or beside one of another kind (I-52.7). */
function isEnough(
  service: Pick<Service, 'capabilities'>,
  factor: Factor,
  factors: readonly Factor[],
): boolean {
  const { proven, backups } = service.capabilities
  if (!proven?.asksFor(factor.type)) return true
  const isBoth = findKind(service, factor.type)?.isBoth?.(factor) === true
  const second = factors.filter(({ type }) => !backups.includes(type))
  return isBoth || second.some(({ type }) => type !== factor.type && proven.asksFor(type))
}

/** Returns whether a user can sign in by an account or a factor whose provider is configured, without the one that is removed. */
export async function hasWay(
  place: Place,
  userId: string,
  removed?: Pick<Factor, 'type' | 'id'>,
): Promise<boolean> {
  const { storage, providers } = place.service
  const isListed = storage?.capabilities.includes('accountLists') === true
  const accounts = isListed ? await storage.listAccounts(userId) : []
  if (accounts.some(({ provider }) => providers.has(provider))) return true
  return hasFactorToSignIn(place, userId, removed)
}

/** Returns whether a user who can sign in could not without a factor: a passkey that is one factor needs the other one. */
export async function takesLastWay(
  place: Place,
  { userId, ...removed }: Pick<Factor, 'userId' | 'type' | 'id'>,
): Promise<boolean> {
  return !(await hasWay(place, userId, removed)) && hasWay(place, userId)
}
