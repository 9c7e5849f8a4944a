import type {
  Context,
  Continued,
  ProvenFirst,
  Reply,
  Session,
  SecondProof,
} from '@latchkey/core/capability'
import { callDecision, refuseStep, withCookies, toUrl } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import type { Factor } from '@latchkey/core'
import { getSecondUrl } from '@latchkey/core/capability/sign-in'
import {
  checkProvable,
  countsAsTwo,
  getFactorStorage,
  isEnrolled,
  listFactors,
  toFingerprint,
} from './factors.ts'
import { toFirstStep } from './kept-identity.ts'
import { isRemembered } from './remembered.ts'
import type { RequireArguments, SecondFactorSettings } from './settings.ts'
import { sealStep } from './step.ts'
import type { Step } from './step.ts'

/** Decides whether a proven first factor is enough (I-52.1): the one place where that is decided. */
export async function askSecondFactor(
  ctx: Context,
  settings: SecondFactorSettings,
  proven: ProvenFirst,
): Promise<Continued> {
  const { flow } = proven
  const userId = proven.isNew ? '' : proven.signIn.user.id
  if (flow.second) return join(ctx, proven, flow.second, userId)
  const storage = getFactorStorage(ctx.service)
  const factors = proven.isNew ? [] : await listFactors(storage, settings.methods, userId)
  const isBoth = hasProvenBoth(settings, proven, factors)
  const first = isBoth ? proven : asOneFactor(proven)
  const { signIn } = first
  const { authentication } = signIn
  const step = { userId, factors: toFingerprint(factors), callbackUrl: flow.callbackUrl }
  const enough = { authentication, factors: step.factors }
  const isSigningIn = flow.purpose === 'signIn'
  // A passkey that has verified its user is two factors (I-52.7).
  if (isBoth) return { ...enough, satisfiedBy: 'mfa' }
  if (isEnrolled(settings.methods, factors)) {
    // A remembered browser does not replace the second factor of a confirmation (I-51.3) or of another password (I-55.5).
    const spared = { fingerprint: step.factors, seconds: settings.rememberFor }
    const canSpare = isSigningIn && first.identity.pending === undefined
    const isSpared = canSpare && (await isRemembered(ctx, userId, spared))
    if (isSpared) return { ...enough, satisfiedBy: 'remembered' }
    checkProvable(settings.methods, factors, first.provider)
    return { reply: await replyStep(ctx, first, step) }
  }
  const { user, account } = signIn
  const asked = { user, account, methods: authentication.methods }
  if (isTrusted(first)) return { ...enough, satisfiedBy: 'trustAmr' }
  // Without a factor nothing is worth waiting for: the new password counts before the user enrols one, and then it is asked again.
  if (!isSigningIn || first.identity.pending !== undefined) return enough
  if (!(await isRequired(settings, asked))) return { ...enough, satisfiedBy: 'notRequired' }
  const enrolment = beginEnrolment(ctx, settings)
  return { reply: await replyStep(ctx, first, { ...step, enrolment }) }
}

/** What an identity provider says is in `authentication.provider`, so that it is never one of these methods (I-50.3). */
function hasProvenBoth(
  { methods }: SecondFactorSettings,
  { identity: { provenBy }, signIn }: ProvenFirst,
  factors: readonly Factor[],
): boolean {
  const isMfa = signIn.authentication.methods.includes('mfa')
  return provenBy !== undefined && isMfa && countsAsTwo(methods, factors, provenBy)
}

/** Returns a proof that counts as one factor. */
function asOneFactor(first: ProvenFirst): ProvenFirst {
  const { identity, signIn } = first
  if (!identity.provenBy) return first
  const methods = signIn.authentication.methods.filter((method) => method !== 'mfa')
  const authentication = { ...signIn.authentication, methods }
  return {
    ...first,
    identity: { ...identity, authentication },
    signIn: { ...signIn, authentication },
  }
}

/** Returns whether the provider has asked for a second factor in a way that the application trusts (I-52.13). */
function isTrusted({ provider: { trustAmr = [] }, signIn }: ProvenFirst): boolean {
  const { amr = [] } = { ...signIn.authentication.provider }
  return amr.some((method) => trustAmr.includes(method))
}

/** Returns the authentication of both factors (I-52.6). */
function join(
  { now }: Context,
  { signIn: { authentication } }: ProvenFirst,
  second: SecondProof,
  userId: string,
): Continued {
  if (second.userId !== userId) {
    throw new AuthError('SessionRequired', 'the account has got another user meanwhile')
  }
  const methods = new Set([...authentication.methods, ...second.methods, 'mfa' as const])
  const both = { ...authentication, authenticatedAt: now, methods: [...methods] }
  return { authentication: both, factors: second.factors, satisfiedBy: 'mfa' }
}

async function replyStep(ctx: Context, first: ProvenFirst, step: Step): Promise<Reply> {
  const { provider, flow, identity } = first
  const cookies = await sealStep(ctx, { ...step, first: toFirstStep(provider.id, flow, identity) })
  const error = 'SecondFactorRequired'
  const url = getSecondUrl(ctx)
  const message = ctx.language.messages.errors[error]
  // next-auth clients look for an error in the URL, and not at the status.
  const refused = { url: toUrl(ctx, url, { error }), error, message, status: 401 } as const
  return withCookies(refuseStep(url, refused), cookies)
}

/**
 * Returns whether the user of a session needs a second factor that was not required when the session began. A session of the
 * previous version says only whether both factors were proven.
 *
 * @throws AuthError `Callback` if the application's function throws
 */
export async function isRequiredNow(
  { require }: SecondFactorSettings,
  { user, satisfiedBy, authentication: { methods = [] } = { methods: [] } }: Session,
): Promise<boolean> {
  const hasBoth = satisfiedBy === undefined && methods.includes('mfa')
  if (!user || hasBoth || (satisfiedBy ?? 'notRequired') !== 'notRequired') return false
  return callDecision('secondFactor.require', () => require({ user: { ...user }, methods }))
}

/**
 * Returns whether a user needs a second factor.
 *
 * @throws AuthError `Callback` if the application's function throws
 */
export async function isRequired(
  { require }: SecondFactorSettings,
  asked: RequireArguments,
): Promise<boolean> {
  return (await callDecision('secondFactor.require', () => require(asked))) !== false
}

/** @throws AuthError `AccessDenied` if users enrol no second factor at a sign-in */
function beginEnrolment(
  { service }: Context,
  { methods, enrol }: SecondFactorSettings,
): NonNullable<Step['enrolment']> {
  for (const method of enrol ? methods.values() : []) {
    if (method.isBackup || method.isProvider) continue
    return { method: method.id, secret: method.enrolment.begin(service.runtime.random) }
  }
  throw new AuthError('AccessDenied', 'the user has no second factor, and needs one')
}
