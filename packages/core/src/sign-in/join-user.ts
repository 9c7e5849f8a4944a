import { callDecision } from '../kernel/decisions.ts'
import type { JoinsUnverified, SignIn } from '../kernel/callbacks.ts'
import type { JoinedUser } from '../kernel/resolved-user.ts'
import { AuthError } from '../lib/errors.ts'
import { isList, isObject } from '../lib/members.ts'
import { requireRevocable } from '../kernel/option-parts.ts'
import type { OptionParts } from '../kernel/option-parts.ts'
import type { Provider } from '../ports/provider.ts'
import type { AccountInfo } from '../ports/records.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/**
 * Finds the user whom an identity joins by its verified email address (I-38.13): the only one who has it, unverified, if
 * the application lets this user be joined.
 *
 * @throws AuthError `Callback` if the option throws, or returns anything else than false or accounts of the user
 */
export async function findJoined(
  storage: GuardedStorage,
  joinsUnverified: JoinsUnverified | undefined,
  { linkByVerifiedEmail }: Provider,
  { user: { email, emailVerified } }: SignIn,
): Promise<JoinedUser | undefined> {
  if (!joinsUnverified || !linkByVerifiedEmail || !emailVerified || email === null) return undefined
  const [user, ...others] = await storage.listUsersByEmail(email, 2)
  if (!user || user.email !== email || others.length > 0) return undefined
  const stored = await storage.listAccounts(user.id)
  const accounts = stored.map(({ provider, type, providerAccountId }) => {
    return { provider, type, providerAccountId }
  })
  const given = { user: { ...user }, accounts }
  const answer: unknown = await callDecision('joinsUnverified', () => joinsUnverified(given))
  if (answer === false) return undefined
  const kept = accounts.filter((account) => isList(answer) && answer.some(isSame(account)))
  if (isList(answer) && kept.length === answer.length)
    return { user, kept, ended: accounts.filter((account) => !kept.includes(account)) }
  throw new AuthError('Callback', 'joinsUnverified must return false, or accounts of the user')
}

function isSame({ provider, providerAccountId }: AccountInfo): (other: unknown) => boolean {
  return (other) =>
    isObject(other) &&
    other['provider'] === provider &&
    other['providerAccountId'] === providerAccountId
}

/** @throws ConfigurationError if the storage or the sessions lack what the option needs */
export function checkJoins(
  option: JoinsUnverified | undefined,
  parts: Pick<OptionParts, 'storage' | 'sessions'>,
): void {
  if (option === undefined) return
  requireStorage(parts.storage, 'joinsUnverified', [
    'unverifiedEmails',
    'unverifiedUsers',
    'accountLists',
    'sessionLists',
  ])
  requireRevocable(parts, 'joinsUnverified')
}
