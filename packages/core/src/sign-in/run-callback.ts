import { emit } from '../events.ts'
import type { SignIn } from '../config.ts'
import type { Context } from '../context.ts'
import { AuthError, asAuthError } from '../errors.ts'
import { getCallbackUrl } from '../http/base-url.ts'
import { FLOW_LIFETIME } from '../http/cookies.ts'
import { assertNoDuplicates } from '../http/query.ts'
import { Refusal, toRefusal } from '../http/refusal.ts'
import { withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { clearCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { limitClient } from '../limits/apply-limit.ts'
import type { Provider, Purpose } from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'
import { createOneTimeTokens } from '../storage/one-time-tokens.ts'
import { completeSignIn } from './complete.ts'
import { readState } from './flow.ts'
import type { CheckedFlow, FlowTarget, FoundFlow } from './flow.ts'
import { recall } from './known-browser.ts'
import { completeLink } from './link-account.ts'
import { toSignIn } from './resolve-user.ts'

/** A callback of a provider. */
export interface Callback {
  readonly provider: Provider
  readonly params: URLSearchParams
  readonly found: FoundFlow
  /** Further cookies that the callback uses up. */
  readonly spent: readonly CookieChange[]
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
    const flow = await takeFlow(ctx, found)
    isTaken = true
    const identity = await finishFlow(ctx, callback, flow)
    return withCookies(await completeIdentity(ctx, provider, flow, identity), used)
  } catch (thrown) {
    const { error } = toRefusal(thrown)
    emit(ctx, 'signInFailed', { provider: provider.id, error: error.code })
    const retryUrl = getRetryUrl?.(error)
    const callbackUrl = 'flow' in found ? found.flow.callbackUrl : undefined
    // If the provider or the storage fails before the flow is taken, the page can be loaded again.
    const isKept = !isTaken && error.code === 'Unavailable'
    const cookies = isKept ? [] : retryUrl === undefined ? used : spent
    throw new Refusal(error, { callbackUrl, retryUrl, cookies })
  }
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
  return completions[flow.purpose](
    ctx,
    { ...flow, remember: identity.remember },
    toSignIn(provider, identity, ctx.service.providers),
    provider,
  )
}

type Complete = (
  ctx: Context,
  flow: FlowTarget,
  signIn: SignIn,
  provider: Provider,
) => Promise<Reply>

const completions: Readonly<Record<Purpose, Complete>> = {
  signIn: completeSignIn,
  link: completeLink,
}

/** Takes a flow: it works once, and a copy of its cookie does not open it again (I-21). */
async function takeFlow({ service, now }: Context, found: FoundFlow): Promise<CheckedFlow> {
  if ('problem' in found) throw new AuthError('OAuthCallback', found.problem)
  const { replayKey } = found.flow
  if (!replayKey) return found.flow
  const expires = replayKey.startedAt + FLOW_LIFETIME
  if (await service.usedOnce.take(replayKey.salt, expires, now)) return found.flow
  throw new AuthError('OAuthCallback', 'the flow was used before')
}

/** Finishes a flow at its provider; any error other than an `AuthError` is `OAuthCallback`. */
async function finishFlow(
  ctx: Context,
  { provider, params }: Callback,
  { state: flow, purpose }: CheckedFlow,
): Promise<Identity> {
  assertNoDuplicates(params, 'OAuthCallback')
  try {
    return await provider.finish({
      params,
      state: readState(provider, params),
      flow,
      purpose,
      redirectUri: getCallbackUrl(ctx.baseUrl, provider),
      runtime: ctx.runtime,
      get tokens() {
        return createOneTimeTokens(ctx, provider)
      },
      recall: () => recall(ctx, provider),
    })
  } catch (thrown) {
    throw asAuthError(thrown, 'OAuthCallback', `${provider.id} could not finish`)
  }
}
