import { SECOND_LIFETIME } from '@latchkey/core/capability'
import { toChangeTime, changeFactor } from '@latchkey/core/capability/factors'
import type { Factor, RemoveFactorOptions } from '@latchkey/core'
import type { Service, GuardedStorage } from '@latchkey/core/capability'
import { isRequired } from './ask.ts'
import { getFactorStorage, isEnrolled, isSecondType, listFactors } from './factors.ts'
import type { Methods } from './factors.ts'
import type { SecondFactorSettings } from './settings.ts'

/**
 * Returns whether a factor is the only second factor of a user who needs one (I-53.4).
 *
 * @throws AuthError `Callback` if the option `require` throws
 */
export async function mustStay(
  service: Service,
  settings: SecondFactorSettings,
  held: Factor,
  { evenIfRequired = false }: RemoveFactorOptions,
): Promise<boolean> {
  const { methods } = settings
  const storage = getFactorStorage(service)
  const factors = await listFactors(storage, methods, held.userId)
  const others = factors.filter(({ type, id }) => type !== held.type || id !== held.id)
  if (evenIfRequired || !isSecondType(storage, methods, held.type)) return false
  if (!isEnrolled(methods, [held]) || isEnrolled(methods, others)) return false
  const user = await storage.getUser(held.userId)
  return user !== undefined && isRequired(settings, { user: { ...user }, methods: [] })
}

/** Completes the removal of a factor. A sign-in that has begun with a password or passkey ends; one that waits for a second factor names it. */
export async function afterRemoval(
  service: Service,
  methods: Methods,
  removed: Factor,
): Promise<void> {
  const storage = getFactorStorage(service)
  if (isSecondType(storage, methods, removed.type)) {
    return removeBackups(storage, methods, removed.userId)
  }
  return endSteps(service, methods, removed.userId)
}

/** Recovery codes go with the last second factor (I-53.4). */
async function removeBackups(
  storage: GuardedStorage,
  methods: Methods,
  userId: string,
): Promise<void> {
  const factors = await listFactors(storage, methods, userId)
  if (isEnrolled(methods, factors)) return
  for (const { type, id } of factors) await storage.deleteFactor(userId, type, id)
}

/** Ends the unfinished sign-ins of a user: they name the times at which the factors have changed (I-52.4). */
export async function endSteps(service: Service, methods: Methods, userId: string): Promise<void> {
  const storage = getFactorStorage(service)
  const now = Math.floor(service.runtime.now() / 1000)
  await service.revocations.revoke(toRevoked(userId), now, now + SECOND_LIFETIME)
  for (const { type, id } of await listFactors(storage, methods, userId)) {
    await changeFactor(storage, { userId, type, id }, ({ changedAt }) => {
      return { changedAt: toChangeTime(now, changedAt) }
    })
  }
}

/** Returns what is revoked for a user who has no factor yet, whose times could not change (I-52.4). */
export function toRevoked(userId: string): string {
  return `second ${userId}`
}
