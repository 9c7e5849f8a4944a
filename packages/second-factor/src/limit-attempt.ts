import { getOutOfBand, spendLimit, changed, hasListeners } from '@latchkey/core/capability'
import type { Context, Service } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import type { Limit, Factor } from '@latchkey/core'
import type { OpenedStep } from './step.ts'

const DAY = 86_400

/** A limit of failed attempts. Beyond it some are compared each day, so that no user is locked out for longer. */
interface FailureLimit extends Limit {
  readonly name: string
  readonly perDay: number
}

/** Attempts in one step; recovery codes count separately. */
const perStep = { name: 'secondFactorPerStep', limit: { times: 5, window: 600 } }
/** Failed attempts of one user after one kind of first proof. */
const perUser = { name: 'secondFactorPerUser', limit: { times: 10, window: 600 } }
/** The same without a success in between. */
const failures = { name: 'secondFactorFailures', times: 100, window: 30 * DAY, perDay: 1 }
/** The same beside any number of successes. */
const lasting = { name: 'secondFactorLasting', times: 300, window: 30 * DAY, perDay: 10 }

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
  await spendLimit(ctx, perStep, `${kind} ${step.salt}`)
  // The page shows the secret of an enrolment, so nothing is guessed; and users without an id would share a count.
  if (step.enrolment) return async () => undefined
  const proof = browserId === undefined ? toProof(ctx, step) : ['browser', browserId]
  const user = JSON.stringify([kind, step.userId, ...proof])
  const current = `${user} ${getPasswordChange(step)}`
  const refund = await spendLimit(ctx, perUser, current)
  if (isBackup) return refund
  const since = `${getLastSuccess(ctx, step, factors)} ${await getRestart(ctx, step.userId)}`
  await spendFailures(ctx, step, failures, `${current} ${since}`)
  const refundLasting = await spendFailures(ctx, step, lasting, user)
  return async () => {
    await refund()
    await refundLasting()
  }
}

/**
 * Names the kind of the first proof: attempts that were wasted after one, such as a stolen password, do not count after another.
 */
function toProof({ service }: Context, { first }: OpenedStep): readonly string[] {
  const { provider: id = '', identity } = { ...first }
  const { type, id: factorId = '' } = { ...identity?.provenBy }
  // A password is one kind, however often it changes.
  if (type === 'password') return [type]
  if (type !== undefined) return [type, factorId]
  const provider = service.providers.get(id)
  return provider && getOutOfBand(provider) ? ['mailbox'] : ['account', id, identity?.subject ?? '']
}

/** Returns when the password was changed that has proven the first factor: another password begins other counts. */
function getPasswordChange({ first }: OpenedStep): number {
  const { type, changedAt = 0 } = { ...first?.identity.provenBy }
  return type === 'password' ? changedAt : 0
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
  const { factorType } = { ...service.providers.get(first?.provider ?? '') }
  const second = factors.filter(({ type }) => type !== factorType)
  return Math.max(0, ...second.map(({ lastUsedAt }) => lastUsedAt ?? 0))
}

/** Begins another count of a hundred for each kind of proof, as the application asks (I-52.8). */
export async function restartFailures(service: Service, userId: string): Promise<void> {
  const now = Math.floor(service.runtime.now() / 1000)
  await service.revocations.revoke(toRestart(userId), now, now + failures.window)
}

async function getRestart({ service, now }: Context, userId: string): Promise<number> {
  return (await service.revocations.getRevokedAt(toRestart(userId), now)) ?? 0
}

function toRestart(userId: string): string {
  return `second failures ${userId}`
}

/** Counts against a limit; beyond it against what is compared each day. */
async function spendFailures(
  ctx: Context,
  { userId }: OpenedStep,
  { name, perDay, ...limit }: FailureLimit,
  subject: string,
): Promise<() => Promise<void>> {
  try {
    return await spendLimit(ctx, { name, limit }, subject)
  } catch (thrown) {
    if (!(thrown instanceof AuthError) || thrown.code !== 'RateLimited') throw thrown
  }
  await noteFailures(ctx, userId, `${name} ${subject}`, limit)
  const daily = { name: `${name}PerDay`, limit: { times: perDay, window: DAY } }
  return spendLimit(ctx, daily, subject)
}

/** Notifies a user once of each count that has reached its limit. */
async function noteFailures(
  ctx: Context,
  userId: string,
  count: string,
  { window }: Limit,
): Promise<void> {
  const { service, now } = ctx
  if (!hasListeners(service)) return
  if (!(await service.usedOnce.take(`failures ${count}`, now + window, now))) return
  await changed({ service, ctx, kind: 'secondFactorFailed', userId })
}
