import { getCauses } from '@latchkey/core/capability'
import type { Client } from '../clients/client.ts'
import { emit, toGrantEvent } from '../events.ts'
import { getGrantStorage } from '../grant.ts'
import type { LivingGrant } from '../grant.ts'
import type { ProgramReply } from '../parts.ts'
import { advance } from '../tokens/advance.ts'
import { decideGrant } from './decide-grant.ts'
import { endReusedGrant, endSurplusGrants } from './end-grant.ts'
import type { ProgramContext } from './program.ts'
import { createAccessToken, getExpiry, toTokenReply } from './tokens.ts'

/** Seconds after which a code that comes again was stolen, and not sent twice by a page. */
const REPEAT_SECONDS = 10

/**
 * Returns the first tokens of a grant, once.
 *
 * @returns Undefined if another request was the first
 */
export async function issueFirstTokens(
  ctx: ProgramContext,
  client: Client,
  living: LivingGrant,
): Promise<ProgramReply | undefined> {
  const { grant, data } = living
  const scopes = await decideGrant(ctx, client, living, grant.scopes)
  const token = await createAccessToken(ctx, client, living, scopes)
  const { server, now } = ctx
  const { counter, advances } = advance({ counter: 0, advances: [] }, [server.random(8), now])
  const used = { ...data, redeemedAt: now, advances }
  const times = { changedAt: now, expires: getExpiry(ctx, living) }
  const changes = { counter, ...times, data: JSON.stringify(used) }
  const storage = getGrantStorage(ctx.service)
  const isFirst = await storage.updateGrant(grant.id, grant.version, changes)
  if (!isFirst) return undefined
  const created = { grant: { ...grant, ...times }, data: used }
  emit(ctx, 'createGrant', toGrantEvent(ctx.service, created))
  await keepRegistration(ctx, client)
  await endSurplusGrants(ctx, living)
  return toTokenReply(ctx, client, grant, { ...token, counter, advances })
}

/** If that fails, the tokens are valid nevertheless. */
async function keepRegistration(ctx: ProgramContext, client: Client): Promise<void> {
  try {
    await ctx.server.settings.registration?.keep(ctx, client)
  } catch (thrown) {
    const details = { client: client.id, causes: getCauses(thrown) }
    ctx.service.log.error('a registration was not kept, and may end', details)
  }
}

/** RFC 6749 §4.1.2, §10.5: everything else of the request is right, so somebody has a copy of the code. */
export async function endIfRepeated(ctx: ProgramContext, living: LivingGrant): Promise<void> {
  const { redeemedAt = ctx.now } = living.data
  if (ctx.now - redeemedAt > REPEAT_SECONDS) await endReusedGrant(ctx, living, 'code')
}
