import { changed, getCauses } from '@latchkey/core/capability'
import type { StoredEvent } from '@latchkey/core'
import type { Context } from '@latchkey/core/capability'
import { getReportedName } from '../clients/shown-name.ts'
import { emit, toGrantEvent, toLogoutRows } from '../events.ts'
import { getGrantStorage, isUsed, listGrantsOf } from '../grant.ts'
import type { LivingGrant, UsedGrant } from '../grant.ts'
import type { ProgramContext } from './program.ts'

/**
 * Ends a grant. The application is told, unless its code was never used.
 *
 * @param rows Events that tell its client. Default: none
 */
export async function endGrant(
  ctx: Pick<Context, 'service' | 'options'>,
  { grant, data }: UsedGrant,
  rows: readonly StoredEvent[] = [],
): Promise<void> {
  const { service } = ctx
  await getGrantStorage(service).deleteGrant(grant.id, rows)
  service.outbox?.deliverSoon(ctx)
  if (data.redeemedAt === undefined) return
  emit(ctx, 'removeGrant', toGrantEvent(service, { grant, data }))
}

/**
 * Ends a grant of which a code or a refresh token was used again: somebody has a copy (RFC 9700 §4.14.2). Its user is told; the
 * reply does not wait if the host keeps itself alive.
 */
export async function endReusedGrant(
  ctx: ProgramContext,
  { grant, data, user }: LivingGrant,
  what: 'code' | 'refresh token',
): Promise<void> {
  const { service, server, options } = ctx
  await endGrant(ctx, { grant, data }, toLogoutRows(ctx, [{ grant, data }]))
  emit(ctx, 'grantReused', toGrantEvent(service, { grant, data }))
  const { clientId: client } = grant
  service.log.warn(`a ${what} was used again: its grant has ended`, { client, userId: user.id })
  const detail = getReportedName(
    client,
    server.settings.clients.get(client)?.name ?? data.clientName,
  )
  const told = changed({ service, kind: 'applicationReused', userId: user.id, detail })
  if (options.waitUntil) return options.waitUntil(told)
  await told
}

/** Grants of one client that one user has at most. */
const MAX_GRANTS = 20

/**
 * Ends the grants of a client that were not used for the longest time, after the first tokens of one were stored: so the last of
 * simultaneous requests counts all of them. If that fails, the tokens are valid nevertheless, and the next request counts again.
 */
export async function endSurplusGrants(ctx: ProgramContext, living: LivingGrant): Promise<void> {
  try {
    // A code that nobody has used yet is no grant: links to `/authorize` on any page would sign the user out of the client.
    const alike = { userId: living.user.id, clientId: living.grant.clientId }
    const used = (await listGrantsOf(ctx.service, alike, ctx.now)).filter(isUsed)
    const sorted = used.toSorted(compareUse)
    const kept = sorted.slice(0, MAX_GRANTS)
    for (const each of sorted.slice(MAX_GRANTS)) {
      await endGrant(ctx, each, toLogoutRows(ctx, [each], kept))
      kept.push(each)
    }
  } catch (thrown) {
    const { clientId: client, userId } = living.grant
    const causes = getCauses(thrown)
    ctx.service.log.error('surplus grants were not ended', { client, userId, causes })
  }
}

/** The grant that was used last comes first. All processes order grants of the same second alike, so that they end the same ones. */
function compareUse({ grant: a }: UsedGrant, { grant: b }: UsedGrant): number {
  return b.changedAt - a.changedAt || b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1)
}
