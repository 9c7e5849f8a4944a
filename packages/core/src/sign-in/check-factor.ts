import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import type { Identity } from '../ports/records.ts'
import type { BegunSession } from '../session/current-session.ts'

/**
 * Ends a session that has begun while the factor that proved its user was changed or removed: the change has ended only
 * the sessions that it found (I-55.5).
 *
 * @throws AuthError `SessionRequired`
 */
export async function checkFactor(
  { service }: Context,
  { provenBy }: Identity,
  { sessionId }: Pick<BegunSession, 'sessionId'>,
): Promise<void> {
  if (!provenBy) return
  const { type, id, changedAt } = provenBy
  const found = await service.storage?.getFactorAndUser(type, id)
  if (found?.factor.changedAt === changedAt) return
  await service.sessions.end({ id: sessionId })
  throw new AuthError('SessionRequired', `the factor ${type} has changed meanwhile`)
}
