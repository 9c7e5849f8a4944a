import type { Begun, Context } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import type { Identity } from '../ports/records.ts'
import { endBegun } from './end-begun.ts'

/**
 * Checks that the factor which proved a user was neither changed nor removed since. What has begun meanwhile ends: the change has
 * ended only what it found (I-55.13).
 *
 * @param begun The session that has begun, if it has
 * @throws AuthError `SessionRequired`
 */
export async function checkFactor(
  ctx: Context,
  { provenBy, newFactor }: Identity,
  begun?: Begun,
): Promise<void> {
  // A new user gets the factor with the session.
  if (!provenBy || (newFactor && !begun)) return
  const { type, id, changedAt } = provenBy
  const found = await ctx.service.storage?.getFactorAndUser(type, id)
  if (found?.factor.changedAt === changedAt) return
  if (begun) await endBegun(ctx, begun)
  throw new AuthError('SessionRequired', `the factor ${type} has changed meanwhile`)
}
