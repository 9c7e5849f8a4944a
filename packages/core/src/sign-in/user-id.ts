import { callDecision } from '../kernel/decisions.ts'
import type { SignIn } from '../kernel/callbacks.ts'
import { AuthError } from '../lib/errors.ts'
import { isStorableId } from '../lib/storable-text.ts'
import { provesUser } from '../lib/proves-user.ts'
import type { Provider } from '../ports/provider.ts'
import type { StoredUser } from '../ports/records.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** The providers of the service, by id. */
export type Providers = ReadonlyMap<string, Provider>

/**
 * Asks `userId` of a provider for the id that the user of a proven identity has today (I-46).
 *
 * @returns undefined if the application knows none
 *
 * @throws AuthError `Callback` if the function throws, or returns what cannot be the id of this user
 */
export async function askUserId(
  providers: Providers,
  { id: provider, userId }: Provider,
  { account: { providerAccountId: subject }, profile }: SignIn,
): Promise<string | undefined> {
  if (!userId) return undefined
  const option = `providers.${provider}.userId`
  const answer: unknown = await callDecision(option, () => userId({ subject, profile }))
  if (answer === undefined || answer === null) return undefined
  if (!isStorableId(answer)) {
    const problem = 'must return an id of 1 to 255 characters without control characters'
    throw new AuthError('Callback', `${option} ${problem}`)
  }
  const [prefix = '', ...rest] = answer.split(':')
  const isDefault = answer === `${provider}:${subject}`
  if (rest.length === 0 || isDefault || !providers.has(prefix)) return answer
  throw new AuthError('Callback', `${option} returned the id of another user of ${prefix}`)
}

/** Finds the stored user with exactly this id: some databases ignore case. */
export async function findUser(
  storage: GuardedStorage,
  id: string | undefined,
): Promise<StoredUser | undefined> {
  const user = id === undefined ? undefined : await storage.getUser(id)
  return user?.id === id ? user : undefined
}

/**
 * Returns whether a stored user has a way to sign in, or may have one. If so, an identity is not linked to the
 * user because `userId` returned the id: what the function knows of an identity comes from its provider,
 * which may be hostile, and two providers may issue the same subject.
 */
export async function isReachable(
  storage: GuardedStorage,
  providers: Providers,
  { id, emailVerified }: StoredUser,
): Promise<boolean> {
  if (emailVerified || [...providers.values()].some(provesUser)) return true
  if (!storage.capabilities.includes('accountLists')) return true
  if ((await storage.listAccounts(id)).length > 0) return true
  return storage.capabilities.includes('factors') && (await storage.listFactors(id)).length > 0
}
