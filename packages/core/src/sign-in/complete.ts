import { callDecision, callJwt, emit, resolveReturnUrl } from '../callbacks.ts'
import type { SignIn } from '../config.ts'
import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import type { CookieRow } from '../http/cookies.ts'
import { assertNoDuplicates } from '../http/query.ts'
import { Refusal, toRefusal } from '../http/refusal.ts'
import { redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { clearCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Provider } from '../ports/provider.ts'
import type { Identity, StoredUser } from '../ports/records.ts'
import { enterSession, toNewSession } from '../session/current-session.ts'
import { toSessionToken } from '../session/session.ts'
import type { PendingSession } from '../session/session.ts'
import { finishFlow, takeFlow } from './flow.ts'
import type { FlowTarget, FoundFlow } from './flow.ts'
import {
  linkAccount,
  persistSignIn,
  resolveUser,
  toSignIn,
  withStoredUser,
} from './resolve-user.ts'
import type { ResolvedUser } from './resolve-user.ts'
import { getVerifyRequestUrl } from './urls.ts'

/**
 * Runs a callback: take the flow, finish it at the provider, complete the sign-in. Whatever the
 * outcome, what the callback used up stays used up.
 *
 * @param spent Further cookies that the callback used up
 */
export async function runCallback(
  ctx: Context,
  provider: Provider,
  params: URLSearchParams,
  found: FoundFlow,
  spent: readonly CookieChange[] = [],
): Promise<Reply> {
  let callbackUrl: string | undefined
  try {
    const flow = takeFlow(ctx, found)
    assertNoDuplicates(params, 'OAuthCallback')
    callbackUrl = await resolveReturnUrl(ctx, flow.callbackUrl)
    const identity = await finishFlow(ctx, provider, flow, params)
    const reply = await completeSignIn(ctx, provider, { ...flow, callbackUrl }, identity)
    return withCookies(reply, [...spent, ...clearFlow(found.row)])
  } catch (thrown) {
    const { error } = toRefusal(thrown)
    emit(ctx, 'signInFailed', { provider: provider.id, error: error.code })
    const retryUrl = canRetry(provider, error) ? getVerifyRequestUrl(ctx, provider) : undefined
    const cookies = retryUrl === undefined ? [...spent, ...clearFlow(found.row)] : spent
    throw new Refusal(error, { callbackUrl, retryUrl, cookies })
  }
}

/** Completes the sign-in of a proven identity: the one end of every way of signing in. */
export async function completeSignIn(
  ctx: Context,
  provider: Provider,
  flow: FlowTarget,
  identity: Identity,
): Promise<Reply> {
  const signIn = toSignIn(provider, identity)
  if (flow.purpose === 'link') return completeLink(ctx, flow, signIn)
  // If the same user signs in twice at once, the second attempt finds what the first has stored.
  const reply =
    (await attemptSignIn(ctx, provider, flow, signIn)) ??
    (await attemptSignIn(ctx, provider, flow, signIn))
  if (reply) return reply
  throw new AuthError('OAuthCreateAccount', 'the account was changed by concurrent requests')
}

/** Resolves, authorizes and persists; undefined if the resolution was out of date when it was persisted. */
async function attemptSignIn(
  ctx: Context,
  provider: Provider,
  flow: FlowTarget,
  proven: SignIn,
): Promise<Reply | undefined> {
  const { storage, runtime } = ctx.service
  const resolved = await resolveUser(storage, provider, proven, runtime.random)
  const elsewhere = await authorize(ctx, resolved.signIn)
  if (elsewhere !== undefined) return redirect(elsewhere)
  const pending = await prepareSession(ctx, flow, resolved.signIn)
  const session = await toNewSession(ctx, pending)
  const user = await persistSignIn(storage, provider, resolved, session)
  if (!user) return undefined
  const cookies = await enterSession(ctx, withUser(pending, user))
  emitSignInEvents(ctx, resolved, user)
  return withCookies(redirect(flow.callbackUrl), cookies)
}

/**
 * Asks `callbacks.signIn`.
 *
 * @returns The URL to redirect to instead; undefined if the sign-in goes on
 *
 * @throws AuthError `AccessDenied`
 */
async function authorize(ctx: Context, signIn: SignIn): Promise<string | undefined> {
  const { callbacks } = ctx.service
  const verdict = await callDecision('callbacks.signIn', () =>
    callbacks.signIn ? callbacks.signIn(signIn) : true,
  )
  if (typeof verdict === 'string' || verdict instanceof URL) {
    return resolveReturnUrl(ctx, String(verdict))
  }
  if (verdict !== true) throw new AuthError('AccessDenied', 'callbacks.signIn refused')
  return undefined
}

async function prepareSession(
  ctx: Context,
  { csrfTokenHash }: FlowTarget,
  signIn: SignIn,
): Promise<PendingSession> {
  const { callbacks, sessions } = ctx.service
  const { user } = signIn
  const token = await callJwt(callbacks, {
    ...signIn,
    trigger: 'signIn',
    token: toSessionToken(user),
  })
  return sessions.prepare({ token, csrfTokenHash, userAgent: ctx.userAgent }, ctx.now)
}

/** A storage may have given the user another id. */
function withUser(pending: PendingSession, { id }: Pick<StoredUser, 'id'>): PendingSession {
  const { session } = pending
  return { ...pending, session: { ...session, token: { ...session.token, sub: id } } }
}

function emitSignInEvents(
  ctx: Context,
  { kind, signIn: resolved }: ResolvedUser,
  { id }: Pick<StoredUser, 'id'>,
): void {
  const signIn = { ...resolved, user: { ...resolved.user, id } }
  if (kind === 'new') emit(ctx, 'createUser', { user: signIn.user })
  if (kind === 'linked') emit(ctx, 'linkAccount', signIn)
  emit(ctx, 'signIn', signIn)
}

/** I-39: the intent to link is bound to the session in which it was expressed. */
async function completeLink(ctx: Context, flow: FlowTarget, proven: SignIn): Promise<Reply> {
  const { storage } = ctx.service
  const { session } = await ctx.readSession()
  const isSame = session !== undefined && session.id === flow.sessionId
  const user = isSame ? (session.user ?? (await storage?.getUser(session.token.sub))) : undefined
  if (!storage || !user) {
    throw new AuthError('SessionRequired', 'the session that began to link has ended')
  }
  const signIn = withStoredUser(user, proven)
  const elsewhere = await authorize(ctx, signIn)
  if (elsewhere !== undefined) return redirect(elsewhere)
  await linkAccount(storage, user.id, signIn.account)
  emit(ctx, 'linkAccount', signIn)
  return redirect(flow.callbackUrl)
}

/** A code can be typed again, and a link opened again once the storage is back. */
function canRetry({ outOfBand }: Provider, error: AuthError): boolean {
  return error.canRetry || (outOfBand !== undefined && error.code === 'Unavailable')
}

function clearFlow(row: CookieRow | undefined): readonly CookieChange[] {
  return row ? [clearCookie(row)] : []
}
