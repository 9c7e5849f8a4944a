import type { AccountInfo, StoredUser } from '../ports/records.ts'
import type { Service } from '../service.ts'
import { isSameEmail } from '../sign-in/proven-email.ts'

/** A user with the accounts by which the user signs in. */
interface Held {
  readonly user: Pick<StoredUser, 'email' | 'emailVerified'>
  readonly accounts: readonly AccountInfo[]
  /** Whether the user can sign in by a password. */
  readonly hasPassword: boolean
}

/**
 * Returns why an account of a user must stay, if it must. `isEmail`: the verified email address would link its mailbox
 * again · `lastWay`: the user has no password, and no other account has a provider that is configured
 */
export function whyKept(
  { providers }: Service,
  { user, accounts, hasPassword }: Held,
  { provider, providerAccountId }: Pick<AccountInfo, 'provider' | 'providerAccountId'>,
): 'isEmail' | 'lastWay' | undefined {
  const isRemoved = (each: AccountInfo): boolean =>
    each.provider === provider && each.providerAccountId === providerAccountId
  if (!accounts.some(isRemoved)) return undefined
  const { type, linkByVerifiedEmail } = { ...providers.get(provider) }
  const isOwn = type === 'email' && user.emailVerified && isSameEmail(user.email, providerAccountId)
  if (isOwn && linkByVerifiedEmail) return 'isEmail'
  const others = accounts.filter((each) => !isRemoved(each) && providers.has(each.provider))
  return others.length === 0 && !hasPassword ? 'lastWay' : undefined
}
