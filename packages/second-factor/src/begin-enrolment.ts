import { checkRecent, redirect, withCookies, getReturnUrl } from '@latchkey/core/capability'
import type { Context, ProviderInput, Reply } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import type { AskedMethod } from './method.ts'
import { isJsonForm } from '@latchkey/core/capability/pages'
import { getEnrolUrl, getSecondUrl } from '@latchkey/core/capability/sign-in'
import { conflict, tooMany } from './conflict.ts'
import { getFactorStorage, isEnrolled, listFactors, toFingerprint } from './factors.ts'
import type { Methods } from './factors.ts'
import { replaceCodes, replyCodes } from './create-backup.ts'
import { sealStep } from './step.ts'

/** Factors of one type that a user can have (I-49.1). */
const MAX_FACTORS = 20

/**
 * Begins to enrol a factor of the session's user, who has confirmed recently (I-53.2): nothing is stored before a
 * code has confirmed its secret. For recovery codes makes new ones (I-53.3).
 *
 * @throws AuthError `SessionRequired`; `Default` (409) if the user has no factor beside recovery codes
 * @throws Refusal `ConfirmationRequired`; `Default` (409) if the user has 20 of the type, or if another request has
 *   replaced the codes meanwhile
 */
export async function beginEnrolment(
  ctx: Context,
  methods: Methods,
  method: AskedMethod,
  input: ProviderInput,
): Promise<Reply> {
  const callbackUrl = await getReturnUrl(ctx, input)
  const { session } = await ctx.readSession()
  if (!session) throw new AuthError('SessionRequired', 'a second factor needs a session')
  // A form of a page goes on where its button is pressed once more.
  const isPage = !method.isBackup && !isJsonForm(ctx, input)
  await checkRecent(ctx, isPage ? getEnrolUrl(ctx, callbackUrl) : callbackUrl, 'factor')
  const userId = session.token.sub
  const storage = getFactorStorage(ctx.service)
  const factors = await listFactors(storage, methods, userId)
  if (method.isBackup) {
    if (!isEnrolled(methods, factors)) throw conflict('recovery codes need a second factor')
    return replyCodes(ctx, input, callbackUrl, await replaceCodes(ctx, method, factors, userId))
  }
  if (factors.filter(({ type }) => type === method.id).length >= MAX_FACTORS) {
    throw tooMany(ctx, method.id)
  }
  const secret = method.enrolment.begin(ctx.service.runtime.random)
  const enrolment = { method: method.id, secret }
  const step = { userId, factors: toFingerprint(factors), callbackUrl, sessionId: session.id }
  const cookies = await sealStep(ctx, { ...step, enrolment })
  return withCookies(redirect(getSecondUrl(ctx)), cookies)
}
