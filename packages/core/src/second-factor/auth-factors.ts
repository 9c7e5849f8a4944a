import { AuthError } from '../errors.ts'
import { callListener } from '../events.ts'
import { SECOND_LIFETIME } from '../http/cookies.ts'
import type { Factor } from '../ports/records.ts'
import type { Service } from '../service.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { createRevocations } from '../storage/revocations.ts'
import { getFactorStorage, isEnrolled, listFactors, toChangeTime } from './factors.ts'
import type { Methods } from './factors.ts'
import type { AuthFactors } from './second-factors.ts'

/** Uses of one factor that can happen while its time is changed. */
const MAX_ATTEMPTS = 20

/** Creates what `auth.factors` does. */
export function createFactorsApi(service: Service, methods: Methods): AuthFactors {
  const storage = getFactorStorage(service)
  return {
    async list(userId) {
      const factors = await listFactors(storage, methods, userId)
      return factors.map(({ type, id, name, changedAt, createdAt, lastUsedAt }) => {
        return { type, id, name, changedAt, createdAt, lastUsedAt }
      })
    },
    async remove(userId, { type, id }) {
      const held = (await listFactors(storage, methods, userId)).find(
        (factor) => factor.type === type && factor.id === id,
      )
      if (!held) return false
      const event = { userId, factor: { type, id, name: held.name } }
      const rows = service.outbox?.toRows('removeFactor', event)
      if ((await storage.deleteFactor(userId, type, id, rows)) !== 'deleted') return false
      await removeBackups(storage, methods, userId)
      service.outbox?.deliverSoon()
      await callListener(service, 'removeFactor', event)
      return true
    },
  }
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
  await createRevocations(storage).revoke(toRevoked(userId), now, now + SECOND_LIFETIME)
  for (const { type, id } of await listFactors(storage, methods, userId)) {
    await changeTime(storage, { type, id }, now)
  }
}

/** Changes the time of a factor, also if codes are used at the same time: each use writes it too. */
async function changeTime(
  storage: GuardedStorage,
  { type, id }: Pick<Factor, 'type' | 'id'>,
  now: number,
): Promise<void> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const found = await storage.getFactorAndUser(type, id)
    if (!found) return
    const { version, changedAt } = found.factor
    const changes = { changedAt: toChangeTime(now, changedAt) }
    if (await storage.updateFactor(type, id, version, changes)) return
  }
  throw new AuthError('Unavailable', `a factor of the type ${type} was used all the time`)
}

/** Returns what is revoked for a user who has no factor yet, whose times could not change (I-52.4). */
export function toRevoked(userId: string): string {
  return `second ${userId}`
}
