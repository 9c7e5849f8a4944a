import { findKind, takesLastWay } from './why-kept.ts'
import type { Change, Context, Service } from '../kernel/context.ts'
import { callListener } from '../kernel/emit.ts'
import type { Factor } from '../ports/records.ts'
import { changeFactor } from './change-factor.ts'
import { toFactorInfo } from './factor-info.ts'
import { FACTOR_NAME, parseFactorName } from './factor-name.ts'
import type { AuthFactors, RemovedFactor } from '../kernel/auth-factors.ts'
import { changed } from '../kernel/points.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { isWay } from '../storage/ways.ts'

/**
 * Creates `auth.factors`: of every factor, whatever is configured.
 *
 * @param ctx The request that changes factors. Default: a call of the server
 */
export function createAuthFactors(service: Service, ctx?: Context): AuthFactors {
  const getStorage = (): GuardedStorage =>
    requireStorage(service.storage, 'auth.factors', ['factors'])
  return {
    async list(userId) {
      return (await getStorage().listFactors(userId)).map(toFactorInfo)
    },
    async remove(userId, { type, id }, options = {}) {
      const factors = await getStorage().listFactors(userId)
      const held = factors.find((factor) => factor.type === type && factor.id === id)
      if (!held) return 'unknown'
      if (await service.capabilities.proven?.mustStay(service, held, options)) return 'last'
      if (await takesLastWay(ctx ?? { service }, held)) return 'last'
      return deleteFactor(service, getStorage(), held, ctx)
    },
    async rename(userId, { type, id }, name) {
      const checked = parseFactorName(name)
      if (checked === undefined) throw new TypeError(`name must be ${FACTOR_NAME}`)
      // A user has one password, which has no name (I-53.8).
      if (type === 'password') return false
      return changeFactor(getStorage(), { userId, type, id }, () => ({ name: checked }))
    },
  }
}

async function deleteFactor(
  service: Service,
  storage: GuardedStorage,
  factor: Factor,
  ctx: Context | undefined,
): Promise<RemovedFactor> {
  const { userId, type, id, name } = factor
  const event = { userId, factor: { type, id, name } }
  const rows = service.outbox?.toRows('removeFactor', event, ctx)
  const outcome = await storage.deleteFactor(userId, type, id, rows)
  if (outcome !== 'deleted') return outcome === 'last' ? 'last' : 'unknown'
  await changed({ service, ctx, ...toFacts(service, factor) })
  await service.capabilities.proven?.afterRemoval(service, factor)
  service.outbox?.deliverSoon(ctx)
  await callListener(service, 'removeFactor', event)
  return 'removed'
}

/** Tells of a second factor or of a way to sign in, as it was told when it was added. */
function toFacts(
  service: Service,
  { userId, type }: Factor,
): Pick<Change, 'kind' | 'userId' | 'detail'> {
  const { storage, capabilities } = service
  if (capabilities.proven?.asksFor(type) || !storage || !isWay(storage, type))
    return { userId, kind: 'factorRemoved', detail: type }
  const kind = findKind(service, type)?.removal ?? 'accountUnlinked'
  return kind === 'passwordChanged' ? { userId, kind } : { userId, kind, detail: type }
}

/** Gives `auth.factors`: each capability that keeps factors does. */
export function giveFactors(service: Service): { readonly factors: AuthFactors } {
  return { factors: createAuthFactors(service) }
}
