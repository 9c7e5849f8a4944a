import type { Begin } from '../sign-in/begin-flow.ts'
import { getCarried, getOutOfBand } from '../kernel/context.ts'
import { emit } from '../kernel/emit.ts'
import type { Context, Input, ProviderInput, SignInPage, TypedFields } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import { Refusal, withRefusal } from '../http/refusal.ts'
import { redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import type { Provider } from '../ports/provider.ts'
import { beginFlow } from '../sign-in/begin-flow.ts'
import { takeBack } from '../sign-in/complete.ts'
import { checkPurpose, getPurpose } from '../sign-in/purposes.ts'
import type { FlowTarget } from '../kernel/flow.ts'
import { findPendingFlow } from '../sign-in/find-flow.ts'
import { completeIdentity, getAgainUrl } from '../sign-in/run-callback.ts'
import { getReturnUrl, getSignInUrl, getVerifyRequestUrl, toUrl } from '../sign-in/urls.ts'
import { getErrorCode, replySignInPage, toUserName } from './page-replies.ts'

/** `GET /signin`: shows the sign-in page with every provider. */
export function showSignIn(ctx: Context, input: Input): Promise<Reply> {
  const { pages } = ctx.service.capabilities
  const named = pages.find(({ query }) => input.query.get(query) === 'true')
  return named
    ? showNamed(ctx, input, named)
    : show(ctx, input, [...ctx.service.providers.values()])
}

/**
 * `GET /signin/:provider`: shows the sign-in page with one provider. A link cannot start a sign-in. After an
 * error, the form has what the browser's pending sign-in has sent a message to.
 */
export async function showProvider(ctx: Context, input: ProviderInput): Promise<Reply> {
  const { provider, query } = input
  const answers = getCarried(provider)?.answers
  if (answers && query.has('action')) return answers.show(ctx, input)
  const flow = query.has('error') ? await findPendingFlow(ctx, provider.id) : undefined
  const fields = flow && getOutOfBand(provider)?.describePending(flow.state).fields
  const values = new Map(Object.entries(fields ?? {}))
  return show(ctx, input, [provider], { providerId: provider.id, values, isMistake: false })
}

/** `POST /signin/:provider`: redirects to the identity provider, or sends a sign-in link. */
export function postSignIn(ctx: Context, input: ProviderInput): Reply | Promise<Reply> {
  return getCarried(input.provider)?.answers?.start(ctx, input) ?? startSignIn(ctx, input)
}

/**
 * Begins a sign-in, or what else a provider's form is for.
 *
 * @param begin What the capability of a provider does in place of its `begin`
 */
export function startSignIn(ctx: Context, input: ProviderInput, begin?: Begin): Promise<Reply> {
  return withRefusal(
    () => start(ctx, input, begin),
    async ({ error, options }) => {
      emit(ctx, 'signInFailed', { provider: input.provider.id, error: error.code })
      const purpose = getPurpose(ctx, input.body)
      const target = { purpose, callbackUrl: await getReturnUrl(ctx, input) }
      const againUrl = getAgainUrl(ctx, target, error)
      return againUrl === undefined ? undefined : { retryUrl: againUrl, ...options }
    },
  )
}

async function showNamed(
  ctx: Context,
  input: Input,
  { show: showPage }: SignInPage,
): Promise<Reply> {
  const callbackUrl = await getReturnUrl(ctx, input)
  return showPage(ctx, { callbackUrl, error: getErrorCode(input.query) })
}

async function start(ctx: Context, input: ProviderInput, begin: Begin | undefined): Promise<Reply> {
  const { provider, body } = input
  const method = ctx.service.capabilities.methods.get(provider.id)
  if (method) return method.post(ctx, input)
  const callbackUrl = await getReturnUrl(ctx, input)
  const purpose = getPurpose(ctx, body)
  await checkPurpose(ctx, provider, { purpose, callbackUrl })
  const { result, flow, cookies } = await beginFlow(ctx, input, { callbackUrl, purpose }, begin)
  if ('identity' in result) {
    const completed = completeIdentity(ctx, provider, flow, result.identity)
    // The attempt still counts if the user must prove a second factor (I-52.3).
    const isAsked = await completed.then(isRefused, () => false)
    if (!isAsked) await takeBack(ctx, result.takeBack)
    return completed
  }
  if ('refused' in result) return refuse(ctx, provider, { purpose, callbackUrl }, result.refused)
  const url = 'redirect' in result ? result.redirect.href : getVerifyRequestUrl(ctx, provider)
  return withCookies(redirect(url), cookies)
}

/** A code for the page; anything else is a URL. */
const REASON = /^[\w-]{1,64}$/

/** Leads to the URL that the application has chosen, or back to the form, with the application's code (I-43.16). */
async function refuse(
  ctx: Context,
  { id }: Provider,
  target: Pick<FlowTarget, 'purpose' | 'callbackUrl'>,
  reason: string,
): Promise<Reply> {
  if (!REASON.test(reason)) return redirect(await resolveReturnUrl(ctx, reason))
  const error = new AuthError('AccessDenied', `authorize of ${id} refused: ${reason}`)
  const { callbackUrl } = target
  const own = ctx.service.pages.signIn
  const form = own === undefined ? getSignInUrl(ctx, callbackUrl) : toUrl(ctx, own, { callbackUrl })
  const retryUrl = toUrl(ctx, getAgainUrl(ctx, target, error) ?? form, { code: reason })
  throw new Refusal(error, { retryUrl, details: { code: reason } })
}

function isRefused(reply: Reply): boolean {
  return 'refused' in reply
}

async function show(
  ctx: Context,
  input: Input,
  providers: readonly Provider[],
  typed?: TypedFields,
): Promise<Reply> {
  const callbackUrl = await getReturnUrl(ctx, input)
  const { session } = await ctx.readSession()
  const signedInAs = session && toUserName(session)
  const error = getErrorCode(input.query)
  return replySignInPage(ctx, providers, { callbackUrl, error, signedInAs, typed })
}
