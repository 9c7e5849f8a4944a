import { sha256 } from '@latchkey/core/capability'
import type { Factor, NewFactor, StoredUser } from '@latchkey/core'
import { isObject } from '@latchkey/core/capability/options'
import { isSameEmail } from '@latchkey/core/capability/sign-in'
import type { GuardedStorage } from '@latchkey/core/capability'

/** The type of the factor that a password is (I-49). */
export const PASSWORD = 'password'

/** A user who has, or may get, a password for an email address. */
export interface FoundPassword {
  readonly user: StoredUser
  readonly factor: Factor
  readonly hash: string
}

/**
 * Creates the factor of a user's password.
 *
 * @param id The user's id; for a user who has not proven the email address {@link toUnprovenId}
 * @param now Seconds since 1970
 */
export function createPasswordFactor(id: string, hash: string, now: number): NewFactor {
  const times = { changedAt: now, createdAt: now, lastUsedAt: null }
  return { type: PASSWORD, id, name: null, data: toPasswordData(hash), ...times }
}

/** Returns what a factor keeps of a password. */
export function toPasswordData(hash: string): string {
  return JSON.stringify({ hash })
}

/**
 * Returns the id of the password of an imported user who has not proven the email address: it is found by the email address, and a
 * storage finds users only by a verified email address (I-38).
 */
export async function toUnprovenId(address: string): Promise<string> {
  return `unproven ${await sha256(address)}`
}

/** Returns when a password was changed or used the last time: each makes another time (I-55.11). */
export function getLastChange({ changedAt, lastUsedAt }: Factor): number {
  return Math.max(changedAt, lastUsedAt ?? 0)
}

/** Returns the password of a user: a factor with the user's id comes before one of an import (I-55.10). */
export function pickPassword(factors: readonly Factor[]): Factor | undefined {
  const passwords = factors.filter(({ type }) => type === PASSWORD)
  return passwords.find(isOwnPassword) ?? passwords[0]
}

/** Returns whether the mailbox of a password was proven: an imported one has another id before. */
export function isOwnPassword({ id, userId }: Pick<Factor, 'id' | 'userId'>): boolean {
  return id === userId
}

/** Finds the password of a user. */
export async function findPasswordFactor(
  storage: GuardedStorage,
  userId: string,
): Promise<Factor | undefined> {
  return pickPassword(await storage.listFactors(userId))
}

/**
 * Finds the password by which an email address signs in: of the user who has verified it, else of an imported user who has not
 * proven it yet (I-55.10). It makes the same calls for an unknown email address.
 */
export async function findPassword(
  storage: GuardedStorage,
  address: string,
): Promise<FoundPassword | undefined> {
  const user = await findOwner(storage, address)
  const factors = await storage.listFactors(user?.id ?? address)
  const unproven = await storage.getFactorAndUser(PASSWORD, await toUnprovenId(address))
  if (user) return toFound(user, pickPassword(factors))
  const isStill = unproven && isSameEmail(unproven.user.email, address)
  return isStill && !unproven.user.emailVerified
    ? toFound(unproven.user, unproven.factor)
    : undefined
}

/** Returns the user who has verified exactly this email address: some databases compare texts in other ways. */
export async function findOwner(
  storage: GuardedStorage,
  address: string,
): Promise<StoredUser | undefined> {
  const user = await storage.getUserByEmail(address)
  return user?.emailVerified && isSameEmail(user.email, address) ? user : undefined
}

function toFound(user: StoredUser, factor: Factor | undefined): FoundPassword | undefined {
  const hash = factor && readHash(factor)
  return factor && hash !== undefined ? { user, factor, hash } : undefined
}

/** @throws SyntaxError if the data is not JSON: the storage has changed it */
function readHash({ data }: Factor): string | undefined {
  const kept: unknown = JSON.parse(data)
  const hash = isObject(kept) ? kept['hash'] : undefined
  return typeof hash === 'string' ? hash : undefined
}
