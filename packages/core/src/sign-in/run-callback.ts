import { emit } from '../kernel/emit.ts'
import type { Context } from '../kernel/context.ts'
import { AuthError, asAuthError } from '../lib/errors.ts'
import { getCallbackUrl } from '../http/base-url.ts'
import { checkNoDuplicates } from '../http/query.ts'
import { Refusal, toRefusal } from '../http/refusal.ts'
import { withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { clearCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { limitClient } from '../limits/apply-limit.ts'
import type { CallbackInput, Provider } from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'
import { completeSignIn } from './complete.ts'
import type { CheckedFlow, FoundFlow } from './find-flow.ts'
import { readState } from './flow.ts'
import type { FlowTarget } from '../kernel/flow.ts'
import { recall } from './known-browser.ts'
import { getStorageCode } from './storage-code.ts'
import { getSignInUrl } from './urls.ts'

/** A callback of a provider. */
export interface Callback {
  readonly provider: Provider
  readonly params: URLSearchParams
  readonly found: FoundFlow
  /** Further cookies that the callback uses up. */
  readonly spent: readonly CookieChange[]
  /** Proves the identity in place of the function of the provider. */
  readonly finish?: (callback: CallbackInput) => Promise<Identity>
  /** Returns where the user can try again with the same flow after an error; undefined if nowhere. */
  readonly getRetryUrl?: (error: AuthError) => string | undefined
}

/**
 * Runs a callback: prepare the provider, take the flow, finish it at the provider, complete its
 * purpose. Once the flow is taken, what the callback used up stays used up, whatever the outcome.
 */
export async function runCallback(ctx: Context, callback: Callback): Promise<Reply> {
  const { provider, found, spent, getRetryUrl } = callback
  // A callback without a flow is not counted: any page can send its visitors there (I-32).
  if ('flow' in found) await limitClient(ctx, 'callbacksPerClient')
  const used = found.spec ? [...spent, clearCookie(found.spec)] : spent
  let isTaken = false
  try {
    if ('flow' in found) await prepareProvider(ctx, provider)
    const flow = await takeFlow(ctx, provider, found)
    isTaken = true
    const identity = await finishFlow(ctx, callback, flow)
    return withCookies(await completeIdentity(ctx, provider, flow, identity), used)
  } catch (thrown) {
    const { error, options } = toRefusal(thrown)
    emit(ctx, 'signInFailed', { provider: provider.id, error: error.code })
    const retryUrl = getRetryUrl?.(error)
    const target = 'flow' in found ? found.flow : undefined
    const callbackUrl = target?.callbackUrl
    const againUrl = options.retryUrl ?? getAgainUrl(ctx, target, error)
    // If the provider or the storage fails before the flow is taken, the page can be loaded again.
    const isKept = !isTaken && error.code === 'Unavailable'
    const cookies = isKept ? [] : retryUrl === undefined ? used : spent
    throw new Refusal(error, { callbackUrl, retryUrl: retryUrl ?? againUrl, cookies })
  }
}

/** Returns where the user of a session can begin again after an error; undefined for the page of its code. */
export function getAgainUrl(
  ctx: Context,
  target: Pick<FlowTarget, 'purpose' | 'callbackUrl'> | undefined,
  error: AuthError,
): string | undefined {
  const row = target && ctx.service.capabilities.purposes.get(target.purpose)
  return row?.getAgainUrl?.(ctx, target?.callbackUrl ?? '', error)
}

/**
 * Prepares the provider of a callback, before anything of the callback is used up.
 *
 * @throws AuthError `Unavailable`
 */
async function prepareProvider(ctx: Context, provider: Provider): Promise<void> {
  try {
    await provider.prepare?.(ctx.runtime)
  } catch (thrown) {
    throw asAuthError(thrown, 'Unavailable', `${provider.id} could not be reached`)
  }
}

/** Completes what a flow was for with a proven identity: the one end of every way of signing in. */
export function completeIdentity(
  ctx: Context,
  provider: Provider,
  flow: FlowTarget,
  identity: Identity,
): Promise<Reply> {
  const { purpose } = flow
  if (purpose === 'signIn') return completeSignIn(ctx, provider, flow, identity)
  const row = ctx.service.capabilities.purposes.get(purpose)
  if (row) return row.complete(ctx, provider, flow, identity)
  // Such a flow never signs in, whatever the options are when it ends.
  throw new AuthError('SessionRequired', `no capability has the purpose ${purpose}`)
}

/**
 * Takes a flow: it works once, and a copy of its cookie does not open it again. A proxy may have
 * repeated the request, so that the user saw no answer: the same sign-in can begin again in one step.
 */
export async function takeFlow(
  ctx: Context,
  provider: Provider,
  found: FoundFlow,
): Promise<CheckedFlow> {
  if ('problem' in found) throw new AuthError('OAuthCallback', found.problem)
  const { flow } = found
  const { replayKey, purpose } = flow
  if (!replayKey) return flow
  if (await ctx.service.usedOnce.take(replayKey.salt, replayKey.exp, ctx.now)) return flow
  const error = new AuthError('OAuthCallback', 'the flow was used before')
  if (purpose !== 'signIn') throw error
  throw new Refusal(error, { retryUrl: getSignInUrl(ctx, flow.callbackUrl, provider) })
}

/** Finishes a flow at its provider; any error other than an `AuthError` is `OAuthCallback`. */
async function finishFlow(
  ctx: Context,
  { provider, params, finish = (callback) => provider.finish(callback) }: Callback,
  { state: flow, purpose }: CheckedFlow,
): Promise<Identity> {
  checkNoDuplicates(params, 'OAuthCallback')
  try {
    return await finish({
      params,
      state: readState(provider, params),
      flow,
      purpose,
      redirectUri: getCallbackUrl(ctx.baseUrl, provider),
      runtime: ctx.runtime,
      get tokens() {
        return getStorageCode(ctx.service, provider).createOneTimeTokens(ctx, provider)
      },
      recall: () => recall(ctx, provider),
      log: ctx.service.log,
    })
  } catch (thrown) {
    throw asAuthError(thrown, 'OAuthCallback', `${provider.id} could not finish`)
  }
}
