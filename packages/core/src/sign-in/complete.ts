import { endBegun } from './end-begun.ts'
import { checkFactor } from './check-factor.ts'
import { authorize, callJwt } from '../kernel/decisions.ts'
import { createToRows, emitSignIn } from './emit-changes.ts'
import type { SignIn } from '../kernel/callbacks.ts'
import type { BegunSignIn, Context, Enough } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import { redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { getSize } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import { getCauses } from '../lib/log.ts'
import { isStorableId } from '../lib/storable-text.ts'
import type { Provider } from '../ports/provider.ts'
import { askAdmission, askProven, changed, completeDone, mayBegin } from '../kernel/points.ts'
import type { Account, Identity, SessionAccount } from '../ports/records.ts'
import { beginSession } from '../session/current-session.ts'
import type { BegunSession } from '../session/current-session.ts'
import type { SessionToken } from '../session/session-claims.ts'
import { toSessionToken } from '../session/session.ts'
import type { SessionInit } from '../session/session.ts'
import type { EnrolledFactor, FlowTarget } from '../kernel/flow.ts'
import { remember, rememberLast } from './known-browser.ts'
import { clearLogoutHint, getLogoutCode } from '../logout/logout-code.ts'
import { resolveUser, toSignIn } from './resolve-user.ts'
import type { ResolvedUser } from '../kernel/resolved-user.ts'
import { settleIdentity } from './settle-identity.ts'
import { toUrl } from './urls.ts'

/** Bytes of headers for the session, the return URL and the logout hint: a reply has 16 KiB for all (I-14). */
const MAX_BYTES = 13_600
/** Bytes of the cookies that a sign-in sets: of 12,000, what the CSRF token leaves (I-14). */
const MAX_COOKIES = 11_500

/**
 * Signs a user in: resolve the user, authorize, persist, set the cookie, redirect.
 *
 * @throws AuthError `AccessDenied`, `OAuthAccountNotLinked`, `RateLimited`, `OAuthCreateAccount`,
 *   `EmailCreateAccount`
 */
export async function completeSignIn(
  ctx: Context,
  provider: Provider,
  flow: FlowTarget,
  identity: Identity,
): Promise<Reply> {
  if (!identity.pending) return attemptTwice(ctx, { provider, flow, identity })
  const asked = await resolve(ctx, { provider, flow, identity })
  if ('reply' in asked) return asked.reply
  const settled = await settleIdentity(ctx, provider, identity)
  const second = await flow.second?.renew?.()
  const renewed = { ...flow, ...(second && { second }) }
  // What waited is stored: it is too late to stop the sign-in.
  return attemptTwice(ctx, { provider, flow: renewed, identity: settled, isAdmitted: true })
}

/** A proven identity that signs in. */
interface Attempt {
  readonly provider: Provider
  readonly flow: FlowTarget
  readonly identity: Identity
  /** Whether the capabilities have let it pass. Default: they are asked */
  readonly isAdmitted?: boolean
}

/** If the same user signs in twice simultaneously, the second attempt finds what the other sign-in stored. */
async function attemptTwice(ctx: Context, attempt: Attempt): Promise<Reply> {
  for (let attempts = 0; attempts < 2; attempts++) {
    const reply = await attemptSignIn(ctx, attempt)
    if (reply) return reply
  }
  const problem = 'the account was changed by concurrent requests, or by callbacks.signIn'
  throw new AuthError('OAuthCreateAccount', problem)
}

/** Resolves, authorizes, persists; undefined if the resolution was out of date when it was persisted. */
async function attemptSignIn(ctx: Context, attempt: Attempt): Promise<Reply | undefined> {
  const { provider, flow, identity } = attempt
  await checkFactor(ctx, identity)
  const resolved = await resolve(ctx, attempt)
  if ('reply' in resolved) return resolved.reply
  const { signIn } = resolved
  const elsewhere = await authorize(ctx.service.callbacks, signIn)
  if (elsewhere !== undefined) return redirect(await resolveReturnUrl(ctx, elsewhere))
  const session = await begin(ctx, attempt, resolved)
  if (!session) return undefined
  const { begun, kept } = session
  emitSignIn(ctx, resolved, kept, begun.sessionId)
  flow.second?.stays?.()
  const targets = await listTargets(ctx, flow, resolved)
  const done = {
    provider,
    identity,
    userId: begun.userId,
    isNewUser: resolved.kind === 'new',
    methods: signIn.authentication.methods,
    callbackUrl: targets[0] ?? '',
  }
  const { cookies: added, url } = await completeDone(ctx, done)
  const known = await remember(ctx, provider, identity.remember)
  const cookies = [...begun.cookies, ...known, ...added]
  return replySignedIn(ctx, provider, kept.account, { ...begun, cookies }, [url, ...targets])
}

/** A session that has begun, and the sign-in with the id that the storage has given its user. */
interface Begun {
  readonly begun: BegunSession
  readonly kept: SignIn
}

/**
 * Begins a session, together with what the sign-in stores; undefined if the resolution was out of date.
 *
 * @throws AuthError `SessionRequired`, or whatever fails: what has begun has ended
 */
async function begin(
  ctx: Context,
  { provider, flow, identity }: Attempt,
  resolved: ToComplete,
): Promise<Begun | undefined> {
  const { service } = ctx
  const { storage } = service
  const { signIn, kind } = resolved
  const init = await toSessionInit(ctx, flow, resolved)
  let kept = signIn
  let enrolled: EnrolledFactor | undefined
  let begun: BegunSession | undefined
  let stays = false
  try {
    begun = await beginSession(ctx, init, async (record, sessionId, endEvents) => {
      const toRows = createToRows(ctx, kind, signIn, sessionId, endEvents)
      enrolled = await flow.second?.toEnrolled?.(signIn.user.id)
      const step = { sessionId, record, toRows, enrolled, now: ctx.now }
      const user = storage
        ? await storage.code.persistSignIn({ ctx, storage, provider }, resolved, step)
        : signIn.user
      if (!user || user.id === signIn.user.id) return user
      // The storage has given the user another id, which the application may keep in the token.
      kept = { ...signIn, user: { ...signIn.user, id: user.id } }
      return { id: user.id, token: await toToken(ctx, resolved, kept) }
    })
    await takeBack(ctx, resolved.refund)
    if (!begun) return undefined
    const { userId } = begun
    if (kind === 'linked')
      await changed({ service, ctx, kind: 'accountLinked', userId, detail: provider.id })
    await checkBegun(ctx, identity, { ...resolved, ...signIn, ...begun })
    stays = true
  } finally {
    if (!stays)
      await endBegun(
        ctx,
        begun,
        flow.second,
        enrolled && { userId: kept.user.id, ...enrolled.factor },
      )
  }
  return { begun, kept }
}

/**
 * Checks that a session which has begun may continue: nothing that has proven its user has changed meanwhile, and no capability
 * ends it (I-63.4).
 *
 * @throws AuthError `SessionRequired`, or whatever a capability throws
 */
async function checkBegun(ctx: Context, identity: Identity, signIn: BegunSignIn): Promise<void> {
  await ctx.service.storage?.code.checkInProgress(ctx, signIn.userId)
  await checkFactor(ctx, identity, true)
  if (await mayBegin(ctx, signIn)) return
  throw new AuthError('SessionRequired', 'what has proven the user has changed meanwhile')
}

/** A sign-in that has proven enough. */
type ToComplete = ResolvedUser & Pick<Enough, 'factors' | 'satisfiedBy'>

/** Resolves the user, and asks for a second factor, whose authentication counts then. */
async function resolve(
  ctx: Context,
  { provider, flow, identity, isAdmitted = false }: Attempt,
): Promise<ToComplete | { readonly reply: Reply }> {
  const { storage, providers } = ctx.service
  const isNew = identity.newFactor !== undefined
  const proven = toSignIn(providers, provider, identity)
  const resolved = await resolveUser(ctx, provider, proven, isNew)
  const { kind, signIn } = resolved
  // Before a second factor is asked for, so that no step begins that its own enrolment would exempt.
  await storage?.code.checkBegan(ctx, flow, resolved)
  const first = { provider, flow, identity, signIn, isNew: kind === 'new' }
  // The factors of a joined user end: another person may have them.
  const hasNone = first.isNew || resolved.joined !== undefined
  const continued = await askProven(ctx, { ...first, isNew: hasNone })
  if ('reply' in continued) return continued
  const { authentication, ...enough } = continued
  const proved = { ...signIn, authentication }
  const stopped = isAdmitted ? undefined : await askAdmission(ctx, { ...first, signIn: proved })
  if (stopped) return { reply: stopped }
  const { newFactor } = identity
  return { ...resolved, ...enough, signIn: proved, newFactor }
}

/**
 * Takes back a count after a success. The session is stored already: if the limiter fails, the browser gets its
 * cookie all the same.
 */
export async function takeBack(
  { service: { log } }: Context,
  refund: (() => Promise<void>) | undefined,
): Promise<void> {
  await refund?.().catch((thrown: unknown) => {
    log.error('a count was not taken back', { causes: getCauses(thrown) })
  })
}

/** Replies to a sign-in: with the session, then the URL and the logout hint for which there is room (I-14). */
async function replySignedIn(
  ctx: Context,
  provider: Provider,
  { id_token: idToken }: Account,
  { sessionId, cookies }: BegunSession,
  targets: readonly string[],
): Promise<Reply> {
  const { url, room: left } = fitUrl(ctx, cookies, targets)
  const room = Math.min(left, MAX_COOKIES - getSize(cookies))
  const hint =
    (await getLogoutCode(provider)?.keepHint(ctx, provider, { sessionId, idToken, room })) ??
    clearLogoutHint(ctx)
  return withCookies(redirect(url), [...cookies, ...hint, ...rememberLast(ctx, provider)])
}

/** Returns the first return URL for which there is room beside the session, and the bytes that are left (I-14). */
export function fitUrl(
  { baseUrl }: Pick<Context, 'baseUrl'>,
  cookies: readonly CookieChange[],
  targets: readonly string[],
): { readonly url: string; readonly room: number } {
  const left = MAX_BYTES - getSize(cookies)
  const url = targets.find(({ length }) => length <= left) ?? baseUrl.origin
  return { url, room: left - url.length }
}

async function toSessionInit(
  ctx: Context,
  { csrfTokenHash }: FlowTarget,
  resolved: ToComplete,
): Promise<SessionInit> {
  const { signIn, isUnstored, satisfiedBy } = resolved
  return {
    token: await toToken(ctx, resolved, signIn),
    csrfTokenHash,
    userAgent: ctx.userAgent,
    account: toSessionAccount(signIn),
    tokens: ctx.service.sessions.accessTokens?.pick(signIn.account),
    isUnstored,
    satisfiedBy,
    authentication: signIn.authentication,
  }
}

/** Returns what the session carries, as `callbacks.jwt` decides. */
function toToken(ctx: Context, { kind }: ResolvedUser, signIn: SignIn): Promise<SessionToken> {
  const isNewUser = kind === 'new'
  const trigger = isNewUser ? 'signUp' : 'signIn'
  const token = toSessionToken(signIn.user)
  return callJwt(ctx.service.callbacks, { ...signIn, trigger, token, isNewUser })
}

/**
 * Lists where a sign-in leads, the first that is not too long: a new user first to `pages.newUser`, which
 * receives the return URL (I-46).
 */
async function listTargets(
  ctx: Context,
  flow: FlowTarget,
  { kind }: ResolvedUser,
): Promise<readonly string[]> {
  const callbackUrl = await resolveReturnUrl(ctx, flow.callbackUrl)
  const { newUser } = ctx.service.pages
  if (newUser === undefined || kind !== 'new') return [callbackUrl]
  // Without the return URL, which could make it too long.
  const page = await resolveReturnUrl(ctx, newUser)
  return page === ctx.baseUrl.origin ? [page] : [toUrl(ctx, page, { callbackUrl }), page]
}

/** Returns the account that a session begins through, so that its provider can end the session (I-48). */
function toSessionAccount({ account, profile }: SignIn): SessionAccount {
  const { provider, type, providerAccountId } = account
  const sid = type === 'oidc' ? profile['sid'] : undefined
  // A sign-in must not fail because of a `sid` that databases refuse: it only cannot end by it.
  return isStorableId(sid) ? { provider, providerAccountId, sid } : { provider, providerAccountId }
}
