import { spendLimit } from '@latchkey/core/capability'
import type { Client } from '../clients/client.ts'
import { findLivingGrant, getGrantStorage, isGrantOf } from '../grant.ts'
import type { LivingGrant } from '../grant.ts'
import { OAuthError } from '../oauth-error.ts'
import { parseScopes } from '../parameters.ts'
import type { ProgramReply } from '../parts.ts'
import { advance, canAdvance, judgeToken } from '../tokens/advance.ts'
import type { Advances } from '../tokens/advance.ts'
import { parseRefreshToken } from '../tokens/refresh-token.ts'
import type { RefreshToken } from '../tokens/refresh-token.ts'
import { decideGrant } from './decide-grant.ts'
import { endReusedGrant } from './end-grant.ts'
import type { ProgramContext } from './program.ts'
import { checkResource, createAccessToken, getExpiry, toTokenReply } from './tokens.ts'

/** How often the version of a grant may change while one request reads it. */
const MAX_TRIES = 5

/**
 * Exchanges a refresh token for the next one (RFC 6749 §6). Of simultaneous requests one advances the grant, and every other one
 * is answered with the token that this one made.
 */
export async function redeemRefreshToken(
  ctx: ProgramContext,
  client: Client,
  parameters: ReadonlyMap<string, string>,
): Promise<ProgramReply> {
  const text = parameters.get('refresh_token')
  if (text === undefined) throw new OAuthError('invalid_request', 'refresh_token is missing')
  const token = await parseRefreshToken(ctx.server.mac, text)
  if (!token) throw invalidToken()
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const reply = await redeemOnce(ctx, client, token, parameters)
    if (reply) return reply
  }
  throw new OAuthError('temporarily_unavailable', 'the grant changes too often', { status: 503 })
}

/** Returns undefined if the grant has changed since it was read. */
async function redeemOnce(
  ctx: ProgramContext,
  client: Client,
  token: RefreshToken,
  parameters: ReadonlyMap<string, string>,
): Promise<ProgramReply | undefined> {
  const living = await findLivingGrant(ctx, token.grantId)
  if (!living || !isGrantOf(living, client)) throw invalidToken()
  const { grant, data } = living
  checkResource(ctx, grant, parameters)
  const scopes = narrowScopes(grant.scopes, parameters)
  const held = { counter: grant.counter, advances: data.advances }
  const { reuseSeconds } = ctx.server.settings
  const window = { now: ctx.now, reuseSeconds }
  const worth = judgeToken(held, token, window)
  if (worth === 'reused') await endReusedGrant(ctx, living, 'refresh token')
  if (worth === 'other') logOther(ctx, living)
  if (worth !== 'current' && worth !== 'superseded') throw invalidToken()
  const isAdvanced = worth === 'current' && canAdvance(held, window)
  if (!isAdvanced) {
    await spendLimit(ctx, ctx.server.settings.limits.reusesPerGrant, grant.id)
  }
  const left = await decideGrant(ctx, client, living, scopes)
  const access = await createAccessToken(ctx, client, living, left)
  const tokens = isAdvanced ? await advanceGrant(ctx, living, held) : held
  return tokens && toTokenReply(ctx, client, grant, { ...access, ...tokens })
}

async function advanceGrant(
  ctx: ProgramContext,
  living: LivingGrant,
  held: Advances,
): Promise<Advances | undefined> {
  const { grant, data } = living
  const next = advance(held, [ctx.server.random(8), ctx.now])
  const isStored = await getGrantStorage(ctx.service).updateGrant(grant.id, grant.version, {
    counter: next.counter,
    changedAt: ctx.now,
    expires: getExpiry(ctx, living),
    data: JSON.stringify({ ...data, advances: next.advances }),
  })
  return isStored ? next : undefined
}

/** RFC 6749 §6: a request may ask for less, and the refresh token keeps what was granted. */
function narrowScopes(
  granted: readonly string[],
  parameters: ReadonlyMap<string, string>,
): readonly string[] {
  const asked = parseScopes(parameters.get('scope'))
  if (asked.every((scope) => granted.includes(scope))) return asked.length > 0 ? asked : granted
  throw new OAuthError('invalid_scope', 'the scope is wider than what was granted')
}

function logOther({ service }: ProgramContext, { grant }: LivingGrant): void {
  const { clientId: client, userId } = grant
  const problem = 'a refresh token is of another time line, as after a backup was restored'
  service.log.warn(problem, { client, userId })
}

function invalidToken(): OAuthError {
  return new OAuthError('invalid_grant', 'the refresh token is not valid')
}
