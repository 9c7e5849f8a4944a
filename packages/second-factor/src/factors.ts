import { AuthError } from '@latchkey/core/capability/options'
import type { Provider, Factor, ProvenBy } from '@latchkey/core'
import type { SecondFactorMethod } from './method.ts'
import type { Service, GuardedStorage } from '@latchkey/core/capability'
import { requireStorage } from '@latchkey/core/capability'
import { isWay } from '@latchkey/core/capability/factors'

/** The methods of a service, by id. */
export type Methods = ReadonlyMap<string, SecondFactorMethod>

/** Returns the storage, which `secondFactor()` has checked. */
export function getFactorStorage({ storage }: Pick<Service, 'storage'>): GuardedStorage {
  return requireStorage(storage, 'secondFactor', ['factors'])
}

/**
 * Returns a user's second factors and what stands in for them. A factor whose method is no longer configured
 * still counts: its user must not get in without it (I-49.5).
 */
export async function listFactors(
  storage: GuardedStorage,
  methods: Methods,
  userId: string,
): Promise<readonly Factor[]> {
  const factors = await storage.listFactors(userId)
  return factors.filter(({ type }) => isSecondType(storage, methods, type))
}

/**
 * Returns whether a factor of this type is a second factor or stands in for one: a way to sign in is one only if a method has its
 * id, and so is what stands in for others (I-49.4).
 */
export function isSecondType(
  storage: Pick<GuardedStorage, 'declared'>,
  methods: Methods,
  type: string,
): boolean {
  return methods.has(type) || !(isWay(storage, type) || storage.declared.backups.includes(type))
}

/**
 * Checks that the user of a proven first factor can prove another one.
 *
 * @throws AuthError `Unavailable` if no configured method can prove one of the factors; `AccessDenied` if all are of the kind of
 *   the first one
 */
export function checkProvable(
  methods: Methods,
  factors: readonly Factor[],
  { id, factorType }: Pick<Provider, 'id' | 'factorType'>,
): void {
  const provable = factors.filter(({ type }) => methods.has(type))
  if (provable.some(({ type }) => type !== factorType)) return
  if (provable.length > 0) {
    throw new AuthError('AccessDenied', `the second factor must be of another kind than ${id}`)
  }
  const types = factors.map(({ type }) => type).join(', ')
  const problem = `secondFactor.methods: no method for a factor of the type ${types}`
  throw new AuthError(
    'Unavailable',
    `${problem}; remove the factor by auth.factors.remove with evenIfRequired`,
  )
}

/** Returns whether factors have one that is asked for: recovery codes stand in for another one (I-53.4). */
export function isEnrolled(methods: Methods, factors: readonly Factor[]): boolean {
  return factors.some(({ type }) => methods.get(type)?.isBackup !== true)
}

/** Returns the factors of another type than this one that a configured method asks for. */
export function listOtherSeconds(
  methods: Methods,
  factors: readonly Factor[],
  than: string,
): readonly Factor[] {
  const isAsked = (type: string): boolean => methods.has(type) && !methods.get(type)?.isBackup
  return factors.filter(({ type }) => type !== than && isAsked(type))
}

/**
 * Returns whether a factor that has verified its user counts as two: the user has no second factor of another type, or it was used
 * beside another proof after the oldest of them was created (I-52.7). In the same second it may have been before.
 */
export function countsAsTwo(
  methods: Methods,
  factors: readonly Factor[],
  { type, besideOtherAt = 0 }: ProvenBy,
): boolean {
  const others = listOtherSeconds(methods, factors, type)
  return others.length === 0 || others.some(({ createdAt }) => createdAt < besideOtherAt)
}

/** Returns what changes if a factor is added or removed, or if its secret changes. */
export function toFingerprint(factors: readonly Factor[]): string {
  const secrets = factors.map(({ type, id, changedAt }) => JSON.stringify([type, id, changedAt]))
  return secrets.toSorted().join()
}
