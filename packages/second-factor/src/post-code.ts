import {
  getCarried,
  SECOND_LIFETIME,
  Refusal,
  withRefusal,
  withCookies,
  changed,
} from '@latchkey/core/capability'
import type { Context, Reply, CookieChange, SecondProof } from '@latchkey/core/capability'
import type { ErrorCode, AuthenticationMethod, Factor, FactorChanges } from '@latchkey/core'
import {
  recallName,
  takeBack,
  recall,
  remember,
  getSecondUrl,
  isLoggedOut,
} from '@latchkey/core/capability/sign-in'
import type { AskedMethod, SecondFactorInput } from './method.ts'
import { changeFactor } from '@latchkey/core/capability/factors'
import { toRevoked } from './auth-factors.ts'
import { completeFirst, restoreFirst } from './complete-first.ts'
import { finishEnrolment } from './enrol.ts'
import { getFactorStorage, listFactors, listOtherSeconds, toFingerprint } from './factors.ts'
import type { Methods } from './factors.ts'
import { limitAttempt } from './limit-attempt.ts'
import { rememberBrowser } from './remembered.ts'
import { callMethod, toSecondInput } from './second-input.ts'
import type { Completed, PostedCode, SecondFactorSettings } from './settings.ts'
import { showSecondPage } from './show-second-page.ts'
import { clearStep, noStep, openStep, takeStep, toWaiting, wrongCode } from './step.ts'
import type { OpenedStep } from './step.ts'

/** The name under which a browser remembers who has completed a second factor in it. */
export const KNOWN = { id: 'second' }

/** The errors after which the user can try again in the same step. */
const retried: readonly ErrorCode[] = ['CredentialsSignin', 'RateLimited', 'Unavailable']

/** A code as it was posted. */
type AskedCode = Pick<PostedCode, 'input' | 'method' | 'prove'>

/**
 * Compares a posted code, and completes what waits for it: a sign-in, a confirmation or an enrolment. The page of
 * the step shows an error after which another code can be tried.
 *
 * @throws Refusal `CredentialsSignin` if it is wrong; `SessionRequired` if nothing waits for it
 */
export function postCode(
  ctx: Context,
  settings: SecondFactorSettings,
  asked: AskedCode,
): Promise<Reply> {
  return withRefusal(
    () => useCode(ctx, settings, asked),
    ({ error: { code }, options }) => {
      if (options.cookies || !retried.includes(code)) return undefined
      const mistake = code === 'CredentialsSignin' ? asked.method.id : undefined
      return {
        retryUrl: getSecondUrl(ctx),
        show: (shown) =>
          showSecondPage(ctx, settings, { ...shown, mistake, method: asked.method.id }),
      }
    },
  )
}

async function useCode(
  ctx: Context,
  settings: SecondFactorSettings,
  { input, method, prove }: AskedCode,
): Promise<Reply> {
  const step = await openStep(ctx)
  if (!step) throw noStep('no unfinished sign-in: it expired or began in another browser')
  const storage = getFactorStorage(ctx.service)
  const factors = await listFactors(storage, settings.methods, step.userId)
  if (toFingerprint(factors) !== step.factors || (await isEnded(ctx, step))) {
    const error = noStep('the factors of the user have changed meanwhile, or the user was revoked')
    throw new Refusal(error, { cookies: [clearStep(ctx)] })
  }
  const recaller = { recall: () => recall(ctx, KNOWN), runtime: ctx.runtime }
  const { browserId } = await recallName(recaller, KNOWN.id, step.userId)
  const isBackup = method.isBackup === true
  const refund = await limitAttempt(ctx, { step, factors, browserId, isBackup })
  const posted = { input, method, prove, step, factors }
  const { reply, userId } = step.enrolment
    ? await finishEnrolment(ctx, settings.methods, posted)
    : await completeStep(ctx, settings, posted)
  await takeBack(ctx, refund)
  const { remember: keep } = await recallName(recaller, KNOWN.id, userId)
  return withCookies(reply, [clearStep(ctx), ...(await remember(ctx, KNOWN, keep()))])
}

/** Returns whether what ends the user's sessions has ended the step, although no factor has changed. */
async function isEnded(ctx: Context, step: OpenedStep): Promise<boolean> {
  const { first, exp } = step
  if (await isRevoked(ctx, step)) return true
  return first !== undefined && isLoggedOut(ctx, { ...first, since: exp - SECOND_LIFETIME })
}

/** Returns whether all sessions of a user were ended since the sign-in began that enrols their first factor (I-52.4). */
async function isRevoked(
  { service, now }: Context,
  { userId, factors, first, exp }: OpenedStep,
): Promise<boolean> {
  if (!first || userId === '' || factors !== '') return false
  const revokedAt = await service.revocations.getRevokedAt(toRevoked(userId), now)
  return revokedAt !== undefined && revokedAt >= exp - SECOND_LIFETIME
}

async function completeStep(
  ctx: Context,
  settings: SecondFactorSettings,
  posted: PostedCode,
): Promise<Completed> {
  const { step, method } = posted
  const methods = await useFactor(ctx, settings.methods, posted)
  if (method.isBackup) {
    await changed({ service: ctx.service, ctx, kind: 'recoveryCodeUsed', userId: step.userId })
  }
  await takeStep(ctx, step)
  await noteSecond(ctx, step)
  const restored = await restoreFirst(ctx, step)
  const { userId } = restored
  let { factors } = restored
  // A password that waited for the second factor is stored now, and changes the factors (I-52.3).
  const renew = async (): Promise<SecondProof> => {
    const held = await listFactors(getFactorStorage(ctx.service), settings.methods, userId)
    if (!isSame(held, posted.factors))
      throw noStep('the factors of the user have changed meanwhile')
    factors = toFingerprint(held)
    return { userId, methods, factors }
  }
  const reply = await completeFirst(ctx, restored, { userId, methods, factors, renew })
  const spared = await spareNextTime(ctx, settings, { ...posted, step: { ...restored, factors } })
  return { reply: withCookies(reply, spared), userId }
}

const toUnchanged = (factors: readonly Factor[]): string =>
  toFingerprint(factors.map((factor) => ({ ...factor, changedAt: 0 })))

/** Returns whether a user has the same factors, although they may be changed. */
function isSame(held: readonly Factor[], before: readonly Factor[]): boolean {
  return toUnchanged(held) === toUnchanged(before)
}

/** A passkey counts as two factors once another one was proven after it (I-52.7). */
async function noteSecond(ctx: Context, { first, userId }: OpenedStep): Promise<void> {
  const provider = ctx.service.providers.get(first?.provider ?? '')
  const { provenBy } = { ...first?.identity }
  if (provider && provenBy) await getCarried(provider)?.answers?.noteSecond?.(ctx, provenBy, userId)
}

/** Finds the factor to which a code belongs, stores that the code is used, and returns the methods of the factor. */
async function useFactor(
  ctx: Context,
  methods: Methods,
  { input, method, prove, step, factors }: PostedCode,
): Promise<readonly AuthenticationMethod[]> {
  if (method.isProvider) {
    const hasOther = listOtherSeconds(methods, factors, method.id).length > 0
    if (prove) return prove(toWaiting(step), hasOther)
    throw noStep(`${method.id} posts to its own path`)
  }
  const secondInput = toSecondInput(ctx, input, step.userId)
  let problem: unknown = wrongCode(ctx)
  for (const factor of factors.filter(({ type }) => type === method.id)) {
    try {
      if (await tryFactor(ctx, method, factor, secondInput)) return method.methods
    } catch (thrown) {
      // Another factor of the type may be readable.
      problem = thrown
    }
  }
  throw problem
}

/**
 * Compares a code with a factor, and stores that it is used. A factor that was written meanwhile is compared again, for
 * example after `resealFactors`; if its secret has changed, the code is wrong.
 */
async function tryFactor(
  ctx: Context,
  method: AskedMethod,
  listed: Factor,
  input: SecondFactorInput,
): Promise<boolean> {
  let data: string | undefined
  const compare = async (factor: Factor): Promise<FactorChanges | undefined> => {
    data = undefined
    if (factor.changedAt !== listed.changedAt) return undefined
    data = await callMethod(method.id, () => method.verify(factor, input))
    return data === undefined ? undefined : { data, lastUsedAt: ctx.now }
  }
  const isHeld = await changeFactor(getFactorStorage(ctx.service), listed, compare, listed)
  return isHeld && data !== undefined
}

/** Spares the second factor at the next sign-in in this browser, if its user has ticked the box (I-52.9). */
async function spareNextTime(
  ctx: Context,
  { rememberFor: seconds }: SecondFactorSettings,
  { input, step }: PostedCode,
): Promise<readonly CookieChange[]> {
  const isAsked = input.body.fields.get('remember') === 'true'
  if (!isAsked || seconds === 0 || step.first?.flow.purpose !== 'signIn') return []
  return [await rememberBrowser(ctx, step.userId, { fingerprint: step.factors, seconds })]
}
