import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import type { Identity } from '../ports/records.ts'
import type { BegunSession } from '../session/current-session.ts'
import type { EnrolledFactor } from './flow.ts'

/** What has begun with a proof. */
interface Begun extends Pick<BegunSession, 'sessionId' | 'userId'> {
  /** A second factor that the sign-in has enrolled. */
  readonly enrolled: EnrolledFactor | undefined
}

/**
 * Checks that the factor which proved a user was neither changed nor removed since. What has begun meanwhile ends: the change has
 * ended only what it found (I-55.13).
 *
 * @param begun The session that has begun, if it has
 * @throws AuthError `SessionRequired`
 */
export async function checkFactor(
  { service }: Context,
  { provenBy }: Identity,
  begun?: Begun,
): Promise<void> {
  if (!provenBy) return
  const { storage, sessions } = service
  const { type, id, changedAt } = provenBy
  const found = await storage?.getFactorAndUser(type, id)
  if (found?.factor.changedAt === changedAt) return
  if (begun) await sessions.end({ id: begun.sessionId })
  if (begun?.enrolled) {
    const { factor } = begun.enrolled
    await storage?.deleteFactor(begun.userId, factor.type, factor.id)
  }
  throw new AuthError('SessionRequired', `the factor ${type} has changed meanwhile`)
}
