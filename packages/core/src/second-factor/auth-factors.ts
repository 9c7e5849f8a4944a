import { callListener } from '../events.ts'
import type { Service } from '../service.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { isEnrolled, listFactors } from './factors.ts'
import type { Methods } from './factors.ts'
import type { AuthFactors } from './second-factors.ts'

/** Creates what `auth.factors` does. */
export function createFactorsApi(service: Service, methods: Methods): AuthFactors {
  const storage = getStorage(service)
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
  const storage = getStorage(service)
  const now = Math.floor(service.runtime.now() / 1000)
  for (const factor of await listFactors(storage, methods, userId)) {
    const changedAt = Math.max(now, factor.changedAt + 1)
    await storage.updateFactor(factor.type, factor.id, factor.version, { changedAt })
  }
}

function getStorage({ storage }: Pick<Service, 'storage'>): GuardedStorage {
  return requireStorage(storage, 'secondFactor', ['factors'])
}
