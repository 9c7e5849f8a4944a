import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import { spend } from '../limits/limits.ts'
import type { Factor } from '../ports/records.ts'
import { getSecurityNotices } from '../security-emails/get-security-notices.ts'
import type { OpenedStep } from './step.ts'

/** Attempts in one step; recovery codes count separately. */
const perStep = { times: 5, window: 600 }
/** Failed attempts of one user. */
const perUser = { times: 10, window: 600 }
/** The same without a success in between. */
const failures = { times: 100, window: 400 * 86_400 }

/** Whose attempt is counted. */
interface Attempt {
  readonly step: OpenedStep
  readonly factors: readonly Factor[]
  /** Names a browser in which the user has completed a second factor before: it has separate counts. */
  readonly browserId: string | undefined
  /** Whether it is a recovery code, which has separate counts too. */
  readonly isBackup: boolean
}

/**
 * Counts an attempt to prove a second factor, before it is made (I-52.8).
 *
 * @returns A function that takes it back after a success
 *
 * @throws AuthError `RateLimited`
 */
export async function limitAttempt(ctx: Context, attempt: Attempt): Promise<() => Promise<void>> {
  const { step, factors, browserId, isBackup } = attempt
  const kind = isBackup ? 'backup' : 'factor'
  const user = `${kind} ${browserId === undefined ? 'all' : `browser ${browserId}`} ${step.userId}`
  await spend(ctx, perStep, ['secondFactorPerStep', `${kind} ${step.salt}`])
  // The page shows the secret of an enrolment, so nothing is guessed; and users without an id would share a count.
  if (step.enrolment) return async () => undefined
  const refund = await spend(ctx, perUser, ['secondFactorPerUser', user])
  if (isBackup) return refund
  const count = `${user} ${getLastSuccess(ctx, step, factors)}`
  try {
    await spend(ctx, failures, ['secondFactorFailures', count])
  } catch (thrown) {
    const isReached = thrown instanceof AuthError && thrown.code === 'RateLimited'
    if (isReached) await noteFailures(ctx, step.userId, count)
    throw thrown
  }
  return refund
}

/**
 * Returns when the user has last proven a second factor: a success begins another count. A factor of the kind that has proven the
 * first one, such as a passkey, does not count.
 */
function getLastSuccess(
  { service }: Context,
  { first }: OpenedStep,
  factors: readonly Factor[],
): number {
  const { signsInByFactor } = { ...service.providers.get(first?.provider ?? '') }
  const second = factors.filter(({ type }) => type !== signsInByFactor)
  return Math.max(0, ...second.map(({ lastUsedAt }) => lastUsedAt ?? 0))
}

/** Notifies a user once of each count that has reached its limit. */
async function noteFailures(ctx: Context, userId: string, count: string): Promise<void> {
  const notices = getSecurityNotices(ctx.service)
  const { service, now } = ctx
  if (!notices || !(await service.usedOnce.take(`failures ${count}`, now + failures.window, now)))
    return
  notices.note(ctx, { userId, change: 'secondFactorFailed' })
}
