import type { AuthError } from '@latchkey/core/capability/options'
import { noteAdded, storeFactor, toFacts } from '@latchkey/core/capability/factors'
import type { Context, Reply, EventFacts } from '@latchkey/core/capability'
import { toBase64url, redirect, withCookies, limitChange } from '@latchkey/core/capability'
import type { EnrolledFactor } from '@latchkey/core/capability/sign-in'
import type { NewFactor } from '@latchkey/core'
import type { EnrolledMethod } from './method.ts'
import { requireAlive } from '@latchkey/core/capability/sign-in'
import { completeFirst, restoreFirst } from './complete-first.ts'
import { isEnrolled } from './factors.ts'
import type { Methods } from './factors.ts'
import { createCodes, replyCodes } from './create-backup.ts'
import { callMethod, toSecondInput } from './second-input.ts'
import type { Completed, PostedCode } from './settings.ts'
import { noStep, takeStep, wrongCode } from './step.ts'

/** The factor that a posted code enrols. */
interface Enrolment extends PostedCode {
  readonly method: EnrolledMethod
  readonly secret: string
}

/**
 * Enrols the factor whose secret a step holds, if the posted code confirms it (I-53.2): in the session that
 * began it, or at the sign-in of a user who needs it (I-52.10).
 *
 * @throws Refusal `CredentialsSignin` if the code is wrong
 */
export async function finishEnrolment(
  ctx: Context,
  methods: Methods,
  posted: PostedCode,
): Promise<Completed> {
  const { method, step } = posted
  const { enrolment } = step
  if (enrolment?.method !== method.id || method.isBackup || method.isProvider) {
    throw noStep('another second factor is being enrolled')
  }
  const enrolled = { ...posted, method, secret: enrolment.secret }
  if (step.first) return enrolAtSignIn(ctx, methods, enrolled)
  return { reply: await enrolInSession(ctx, methods, enrolled), userId: step.userId }
}

async function enrolInSession(
  ctx: Context,
  methods: Methods,
  enrolment: Enrolment,
): Promise<Reply> {
  const { step, factors, input } = enrolment
  // The CSRF token of the step belongs to one session (I-16).
  const session = await requireAlive(ctx, (await ctx.readSession()).session, toEnded)
  const factor = await createFactor(ctx, enrolment, step.userId)
  await limitChange(ctx, step.userId)
  await takeStep(ctx, step)
  const isFirst = !isEnrolled(methods, factors)
  const kind = 'factorAdded'
  const enrolled = { userId: step.userId, factor, kind, session, isFirst, toEnded } as const
  if (!(await storeFactor(ctx, enrolled))) throw noStep('the user is deleted')
  if (!isFirst) return redirect(step.callbackUrl)
  return replyCodes(ctx, input, step.callbackUrl, await createCodes(ctx, methods, step.userId))
}

/** The user may not be stored yet: the sign-in stores user, factor and session together. */
async function enrolAtSignIn(
  ctx: Context,
  methods: Methods,
  enrolment: Enrolment,
): Promise<Completed> {
  const { step, method, input } = enrolment
  await createFactor(ctx, enrolment, step.userId)
  await takeStep(ctx, step)
  const restored = await restoreFirst(ctx, step)
  let facts: EventFacts['enrolFactor'] | undefined
  let enrolled: EventFacts['enrolFactor'] | undefined
  const toEnrolled = async (userId: string): Promise<EnrolledFactor> => {
    const factor = await createFactor(ctx, enrolment, userId)
    facts = toFacts(userId, factor)
    return { factor, rows: ctx.service.outbox?.toRows('enrolFactor', facts, ctx) }
  }
  const stays = (): void => {
    if (!facts) return
    enrolled = facts
    // A new user has just done it, in the same sign-in.
    noteAdded(ctx, facts, step.userId === '' ? undefined : 'factorAdded')
  }
  const second = { userId: step.userId, methods: method.methods, toEnrolled, stays }
  const reply = await completeFirst(ctx, restored, second)
  const { userId } = enrolled ?? step
  // The sign-in may have led elsewhere.
  if (!enrolled) return { reply, userId }
  const codes = await createCodes(ctx, methods, userId)
  const url = reply.kind === 'redirect' ? reply.location : step.callbackUrl
  const shown = withCookies(replyCodes(ctx, input, url, codes), reply.cookies)
  return { reply: shown, userId }
}

/** @throws Refusal `CredentialsSignin` if the code is wrong */
async function createFactor(
  ctx: Context,
  { method, secret, input }: Enrolment,
  userId: string,
): Promise<NewFactor> {
  const secondInput = toSecondInput(ctx, input, userId)
  const finish = (): Promise<string | undefined> => method.enrolment.finish(secret, secondInput)
  const data = await callMethod(method.id, finish)
  if (data === undefined) throw wrongCode(ctx)
  const { now, service } = ctx
  const times = { changedAt: now, createdAt: now, lastUsedAt: now }
  return {
    type: method.id,
    id: toBase64url(service.runtime.random(16)),
    name: null,
    data,
    ...times,
  }
}

/** A step ends with its session. */
function toEnded(): AuthError {
  return noStep('the session that began to enrol has ended')
}
