import type { Client } from '../clients/client.ts'
import { findLivingGrant, isGrantOf } from '../grant.ts'
import type { LivingGrant } from '../grant.ts'
import { OAuthError } from '../oauth-error.ts'
import { judgeToken } from '../tokens/advance.ts'
import { parseRefreshToken } from '../tokens/refresh-token.ts'
import { authenticateClient } from './authenticate-client.ts'
import { endGrant } from './end-grant.ts'
import type { Endpoint, ProgramContext } from './program.ts'

/**
 * The revocation endpoint (RFC 7009). A refresh token ends its grant; an access token lives on for its minutes. Tokens of other
 * clients, and unknown ones, are answered alike (§2.2).
 */
export const answerRevocation: Endpoint = async (ctx, parameters) => {
  const text = parameters.get('token')
  const client = await authenticateClient(ctx, parameters)
  if (text === undefined) throw new OAuthError('invalid_request', 'token is missing')
  const living = await findGrantOfToken(ctx, client, text)
  if (living) await endGrant(ctx, living)
  return { status: 200 }
}

/** Returns the grant of a refresh token of the client, which may have been replaced. */
async function findGrantOfToken(
  ctx: ProgramContext,
  client: Client,
  text: string,
): Promise<LivingGrant | undefined> {
  const token = await parseRefreshToken(ctx.server.mac, text)
  const living = token && (await findLivingGrant(ctx, token.grantId))
  if (!token || !living || !isGrantOf(living, client)) return undefined
  const held = { counter: living.grant.counter, advances: living.data.advances }
  // A token of another time line says nothing about this grant.
  const worth = judgeToken(held, token, { now: ctx.now, reuseSeconds: 0 })
  return worth === 'other' ? undefined : living
}
