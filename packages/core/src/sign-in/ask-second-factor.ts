import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import { getSecondFactors } from '../second-factor/get-second-factors.ts'
import type { Continued, Enough, ProvenFirst } from '../second-factor/second-factors.ts'
import type { BegunSession } from '../session/current-session.ts'

/** Asks for a second factor if the service and the user have some (I-52). Every way of signing in passes here. */
export async function askSecondFactor(ctx: Context, first: ProvenFirst): Promise<Continued> {
  const { authentication } = first.signIn
  return (await getSecondFactors(ctx.service)?.ask(ctx, first)) ?? { authentication }
}

/**
 * Ends a session that has begun while a factor of its user was enrolled or changed: the change has ended only the
 * sessions that it found (I-52.11).
 *
 * @throws AuthError `SessionRequired`
 */
export async function checkFactors(
  ctx: Context,
  { factors }: Pick<Enough, 'factors'>,
  { sessionId, userId }: BegunSession,
): Promise<void> {
  const secondFactors = getSecondFactors(ctx.service)
  if (!secondFactors || factors === undefined) return
  if (await secondFactors.hasFactors(ctx, userId, factors)) return
  await ctx.service.sessions.end({ id: sessionId })
  throw new AuthError('SessionRequired', 'the factors of the user have changed meanwhile')
}
