import { admit, link, recognise, tokenOf, userOf } from '../sign-in/resolve-user.ts'
import type { Arrival } from '../sign-in/resolve-user.ts'
import type { Context } from '../context.ts'
import { decide, makeToken } from '../callbacks.ts'
import { AuthError } from '../errors.ts'
import { finishFlow, flowElsewhere, takeFlow, takeRecognised } from '../sign-in/flow.ts'
import type { TakenFlow } from '../sign-in/flow.ts'
import type { SignIn } from '../config.ts'
import type { ErrorCode } from '../errors.ts'
import type { StoredUser } from '../ports/records.ts'
import { redirect, text } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { takeReturn } from '../sign-in/posted-callback.ts'
import type { Opening } from '../session/session.ts'
import { viewConfirm, verifyRequestUrl } from './page-replies.ts'

/**
 * `GET /callback/:provider`: the return from the identity provider, from our own bounce (I-28), or
 * from a mailbox. There it changes nothing in a browser that did not begin, but asks (I-31).
 */
export async function receiveQuery(ctx: Context): Promise<Reply> {
  const { outOfBand } = ctx.provider
  if (!outOfBand) return attempt(ctx, async () => receive(ctx, await returned(ctx)))
  assertOnce(ctx.search, 'Verification')
  const described = outOfBand.describeConfirmation(ctx.search)
  if (!described) throw new AuthError('Verification', 'the link is not whole')
  // Of what stands in a link only what makes it one is used: a code is typed, and posted, by a person.
  const params = new URLSearchParams(described.fields)
  const flow = isPrefetch(ctx.request) ? undefined : await takeRecognised(ctx, outOfBand, params)
  return flow
    ? attempt(ctx, () => finish(ctx, flow, params))
    : viewConfirm(ctx, described.identifier, described.fields)
}

/** `POST /callback/:provider` with a genuine CSRF token: a return that a page of ours has posted. */
export async function receiveForm(ctx: Context): Promise<Reply> {
  const params = new URLSearchParams([...ctx.form.fields])
  const { outOfBand } = ctx.provider
  if (!outOfBand) return attempt(ctx, () => receive(ctx, params))
  const own = await takeRecognised(ctx, outOfBand, params)
  const flow = own ?? (await flowElsewhere(ctx, params))
  return attempt(ctx, () => finish(ctx, flow, params))
}

/** `HEAD /callback/:provider`: that there is such a route, and nothing more (I-5). */
export function receiveNothing(): Reply {
  return text(200, '')
}

async function returned(ctx: Context): Promise<URLSearchParams> {
  const id = ctx.query.get('return')
  return id === undefined ? ctx.search : takeReturn(ctx, id)
}

async function receive(ctx: Context, params: URLSearchParams): Promise<Reply> {
  return finish(ctx, await takeFlow(ctx, params), params)
}

async function finish(ctx: Context, flow: TakenFlow, params: URLSearchParams): Promise<Reply> {
  assertOnce(params)
  ctx.callbackUrl = await ctx.returnAddress(flow.callbackUrl)
  try {
    const person = userOf(ctx.provider, await finishFlow(ctx, flow, params))
    return flow.purpose === 'link'
      ? await linkAccount(ctx, flow, person)
      : await signIn(ctx, flow, person)
  } catch (thrown) {
    if (thrown instanceof AuthError && canRetry(ctx, thrown)) letRetry(ctx, flow)
    throw thrown
  }
}

/** What has come out of band can be opened again once the storage is there again. */
function canRetry({ provider }: Context, { canRetry: can, code }: AuthError): boolean {
  return can || (provider.outOfBand !== undefined && code === 'Unavailable')
}

/** Tells of a failure. */
async function attempt(ctx: Context, work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (thrown) {
    const error = thrown instanceof AuthError ? thrown.code : 'Default'
    ctx.tell('signInFailed', { provider: ctx.provider.id, error })
    throw thrown
  }
}

/** The flow stays, and so does the page that the code was typed on. */
function letRetry(ctx: Context, { row }: TakenFlow): void {
  if (row) ctx.jar.forget(row)
  ctx.retryUrl = verifyRequestUrl(ctx)
}

/** Browsers that fetch ahead say so: nothing is used up before a person is there. */
function isPrefetch({ headers }: Request): boolean {
  return /prefetch|prerender/.test(headers.get('sec-purpose') ?? headers.get('purpose') ?? '')
}

/** The one end of every way of signing in: the application's word, what has to be stored, the session. */
async function signIn(
  ctx: Context,
  flow: TakenFlow,
  proven: SignIn,
  isFirstTry = true,
): Promise<Reply> {
  const { callbacks, sessions } = ctx.service
  const arrival = await arrive(ctx, proven)
  const { person } = arrival
  const elsewhere = await consult(ctx, person)
  if (elsewhere) return elsewhere
  const token = await makeToken(callbacks, {
    ...person,
    trigger: 'signIn',
    token: tokenOf(person.user),
  })
  const beginning = { token, madeWith: flow.madeWith, agent: ctx.agent }
  const opening = sessions.open(ctx.now, beginning, await ctx.session())
  const user = await settle(ctx, arrival, opening)
  // Somebody was first: the same person in another tab, most likely. They are found now.
  if (!user && isFirstTry) return signIn(ctx, flow, proven, false)
  if (!user) throw new AuthError('OAuthCreateAccount', 'the account changes while it is used')
  await sessions.enter(ctx.jar, ctx.site.cookies.session, belongingTo(user, opening))
  tellArrival(ctx, { ...arrival, person: { ...person, user: { ...person.user, id: user.id } } })
  return redirect(ctx.callbackUrl ?? ctx.site.origin)
}

/** Where nothing is stored every identity is its own user. */
async function arrive(ctx: Context, person: SignIn): Promise<Arrival> {
  const { storage, runtime } = ctx.service
  if (!storage) return { how: 'known', person }
  return recognise(storage, ctx.provider, person, runtime.random)
}

/** Asks the application; gives the way out where it sends the person elsewhere. */
async function consult(ctx: Context, person: SignIn): Promise<Reply | undefined> {
  const { callbacks } = ctx.service
  const verdict = await decide('callbacks.signIn', () =>
    callbacks.signIn ? callbacks.signIn(person) : true,
  )
  if (typeof verdict === 'string' || verdict instanceof URL) {
    return redirect(await ctx.returnAddress(String(verdict)))
  }
  if (verdict !== true) throw new AuthError('AccessDenied', 'callbacks.signIn has refused')
  return undefined
}

async function settle(
  { service: { storage } }: Context,
  arrival: Arrival,
  { stored }: Opening,
): Promise<Pick<StoredUser, 'id'> | undefined> {
  return storage ? admit(storage, arrival, stored) : arrival.person.user
}

/** A storage may have given the user another id than the one that the session was made out for. */
function belongingTo({ id }: Pick<StoredUser, 'id'>, opening: Opening): Opening {
  const { session } = opening
  return { ...opening, session: { ...session, token: { ...session.token, sub: id } } }
}

function tellArrival(ctx: Context, { how, person }: Arrival): void {
  if (how === 'new') ctx.tell('createUser', { user: person.user })
  if (how === 'linked') ctx.tell('linkAccount', person)
  ctx.tell('signIn', person)
}

/** I-39: the session that the intent was sealed with must be the one that is here. */
async function linkAccount(ctx: Context, flow: TakenFlow, proven: SignIn): Promise<Reply> {
  const { storage } = ctx.service
  const session = await ctx.session()
  const isSame = session !== undefined && session.id === flow.sessionId
  const user = isSame ? (session.user ?? (await storage?.getUser(session.token.sub))) : undefined
  if (!storage || !user) {
    throw new AuthError('SessionRequired', 'the session that wanted the account linked is gone')
  }
  const person = { ...proven, user: { ...proven.user, ...user } }
  const elsewhere = await consult(ctx, person)
  if (elsewhere) return elsewhere
  await link(storage, user.id, person.account)
  ctx.tell('linkAccount', person)
  return redirect(ctx.callbackUrl ?? ctx.site.origin)
}

/** Each parameter at most once (RFC 6749 §3.1). */
function assertOnce(params: URLSearchParams, code: ErrorCode = 'OAuthCallback'): void {
  for (const name of new Set(params.keys())) {
    if (params.getAll(name).length > 1) {
      throw new AuthError(code, 'the return has a parameter twice')
    }
  }
}
