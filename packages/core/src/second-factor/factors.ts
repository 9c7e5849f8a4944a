import type { Factor } from '../ports/records.ts'
import type { SecondFactorMethod } from '../ports/second-factor.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** The methods of a service, by id. */
export type Methods = ReadonlyMap<string, SecondFactorMethod>

/** Returns a user's factors of the configured methods. */
export async function listFactors(
  storage: GuardedStorage,
  methods: Methods,
  userId: string,
): Promise<readonly Factor[]> {
  const factors = await storage.listFactors(userId)
  return factors.filter(({ type }) => methods.has(type))
}

/** Returns whether factors have one that is asked for: recovery codes stand in for another one (I-53.4). */
export function isEnrolled(methods: Methods, factors: readonly Factor[]): boolean {
  return factors.some(({ type }) => methods.get(type)?.isBackup !== true)
}

/** Returns what changes if a factor is added or removed, or if its secret changes. */
export function toFingerprint(factors: readonly Factor[]): string {
  const secrets = factors.map(({ type, id, changedAt }) => JSON.stringify([type, id, changedAt]))
  return secrets.toSorted().join()
}
