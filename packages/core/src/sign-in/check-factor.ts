import type { Context } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import type { Identity } from '../ports/records.ts'

/**
 * Checks that the factor which proved a user was neither changed nor removed since: what has changed it has ended only the
 * sessions that it found (I-55.13).
 *
 * @param hasBegun Whether the session has begun. Default: false
 * @throws AuthError `SessionRequired`
 */
export async function checkFactor(
  ctx: Context,
  { provenBy, newFactor }: Identity,
  hasBegun: boolean = false,
): Promise<void> {
  // A new user gets the factor with the session.
  if (!provenBy || (newFactor && !hasBegun)) return
  const { type, id, changedAt } = provenBy
  const found = await ctx.service.storage?.getFactorAndUser(type, id)
  if (found?.factor.changedAt === changedAt) return
  throw new AuthError('SessionRequired', `the factor ${type} has changed meanwhile`)
}
