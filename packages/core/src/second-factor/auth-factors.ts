import type { Context } from '../context.ts'
import { callListener } from '../events.ts'
import { SECOND_LIFETIME } from '../http/cookies.ts'
import { toChangeTime } from '../lib/change-time.ts'
import type { Factor } from '../ports/records.ts'
import { getSecurityNotices } from '../security-emails/get-security-notices.ts'
import type { Service } from '../service.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { createRevocations } from '../storage/revocations.ts'
import { isRequired } from './ask.ts'
import { changeFactor } from './change-factor.ts'
import { toFactorInfo } from './factor-info.ts'
import { FACTOR_NAME, parseFactorName } from './factor-name.ts'
import { getFactorStorage, isEnrolled, listFactors } from './factors.ts'
import type { Methods } from './factors.ts'
import type { AuthFactors, RemovedFactor, RemoveFactorOptions } from './second-factors.ts'
import type { SecondFactorSettings } from './settings.ts'

/** Creates what `auth.factors` does. */
export function createFactorsApi(
  service: Service,
  settings: SecondFactorSettings,
  ctx?: Context,
): AuthFactors {
  const { methods } = settings
  const storage = getFactorStorage(service)
  return {
    async list(userId) {
      return (await listFactors(storage, methods, userId)).map(toFactorInfo)
    },
    async remove(userId, { type, id }, options = {}) {
      const factors = await listFactors(storage, methods, userId)
      const held = factors.find((factor) => factor.type === type && factor.id === id)
      if (!held) return 'unknown'
      if (await mustStay(storage, settings, { factors, held, options })) return 'last'
      return deleteFactor(service, methods, held, ctx)
    },
    async rename(userId, { type, id }, name) {
      const checked = parseFactorName(name)
      if (checked === undefined) throw new TypeError(`name must be ${FACTOR_NAME}`)
      const factors = await listFactors(storage, methods, userId)
      const isTheirs = factors.some((factor) => factor.type === type && factor.id === id)
      return isTheirs && changeFactor(storage, { userId, type, id }, () => ({ name: checked }))
    },
  }
}

/** A factor, if it may be removed. */
interface Removal {
  /** The factors of its user. */
  readonly factors: readonly Factor[]
  readonly held: Factor
  readonly options: RemoveFactorOptions
}

/**
 * Returns whether a factor is the only second factor of a user who needs one (I-53.4).
 *
 * @throws AuthError `Callback` if the option `require` throws
 */
async function mustStay(
  storage: GuardedStorage,
  settings: SecondFactorSettings,
  { factors, held, options: { evenIfRequired = false } }: Removal,
): Promise<boolean> {
  const { methods } = settings
  const others = factors.filter((factor) => factor !== held)
  if (evenIfRequired || !isEnrolled(methods, [held]) || isEnrolled(methods, others)) return false
  const user = await storage.getUser(held.userId)
  return user !== undefined && isRequired(settings, { user: { ...user }, methods: [] })
}

async function deleteFactor(
  service: Service,
  methods: Methods,
  { userId, type, id, name }: Factor,
  ctx: Context | undefined,
): Promise<RemovedFactor> {
  const storage = getFactorStorage(service)
  const event = { userId, factor: { type, id, name } }
  const rows = service.outbox?.toRows('removeFactor', event, ctx)
  const outcome = await storage.deleteFactor(userId, type, id, rows)
  if (outcome !== 'deleted') return outcome === 'last' ? 'last' : 'unknown'
  const notice = { userId, change: 'factorRemoved', detail: type } as const
  await getSecurityNotices(service)?.notify(service, notice, ctx)
  await removeBackups(storage, methods, userId)
  service.outbox?.deliverSoon(ctx)
  await callListener(service, 'removeFactor', event)
  return 'removed'
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
    await changeFactor(storage, { userId, type, id }, ({ changedAt }) => {
      return { changedAt: toChangeTime(now, changedAt) }
    })
  }
}

/** Returns what is revoked for a user who has no factor yet, whose times could not change (I-52.4). */
export function toRevoked(userId: string): string {
  return `second ${userId}`
}
