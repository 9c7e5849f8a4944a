import type { Context } from '../context.ts'
import { spendLimit } from '../limits/limits.ts'
import type { Factor } from '../ports/records.ts'
import type { OpenedStep } from './step.ts'

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
  await spendLimit(ctx, 'secondFactorPerStep', `${kind} ${step.salt}`)
  const refund = await spendLimit(ctx, 'secondFactorPerUser', user)
  // A success changes the time, and so begins another count.
  const lastSuccess = Math.max(0, ...factors.map(({ lastUsedAt }) => lastUsedAt ?? 0))
  const subject = isBackup ? undefined : `${user} ${lastSuccess}`
  await spendLimit(ctx, 'secondFactorFailures', subject)
  return refund
}
