import type { Client } from '../clients/client.ts'
import { findLivingGrant, isGrantOf } from '../grant.ts'
import type { LivingGrant } from '../grant.ts'
import type { PartContext } from '../parts.ts'
import { judgeToken } from '../tokens/advance.ts'
import { parseRefreshToken } from '../tokens/refresh-token.ts'

/** A living grant, and what a refresh token of it is worth, without the time in which a replaced one may come again. */
interface GrantOfToken {
  readonly living: LivingGrant
  readonly worth: ReturnType<typeof judgeToken>
}

/** Returns the grant of a refresh token of the client, which may have been replaced. */
export async function findGrantOfToken(
  ctx: Pick<PartContext, 'service' | 'server' | 'now'>,
  client: Client,
  text: string,
): Promise<GrantOfToken | undefined> {
  const token = await parseRefreshToken(ctx.server.mac, text)
  const living = token && (await findLivingGrant(ctx, token.grantId))
  if (!token || !living || !isGrantOf(living, client)) return undefined
  const held = { counter: living.grant.counter, advances: living.data.advances }
  return { living, worth: judgeToken(held, token, { now: ctx.now, reuseSeconds: 0 }) }
}
