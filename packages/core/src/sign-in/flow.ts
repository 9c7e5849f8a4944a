import type { Context } from '../context.ts'
import { FLOW_LIFETIME, rowWithId } from '../http/cookies.ts'
import type { CookieRow } from '../http/cookies.ts'
import { toBase64url, equalInConstantTime, sha256 } from '../crypto/encoding.ts'
import { AuthError, asAuthError } from '../errors.ts'
import type { BeginResult, FlowState, OutOfBand, Purpose } from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'
import { callbackUrlOf } from '../http/base-url.ts'

/** One sign-in under way, as the flow cookie seals it (I-21). */
export interface Flow {
  readonly provider: string
  readonly purpose: Purpose
  readonly callbackUrl: string
  /** With the CSRF token it makes the state (I-20). */
  readonly salt: string
  /** The session it began in; empty when signed out. */
  readonly sessionId: string
  readonly state: FlowState
  /** Seconds since 1970. */
  readonly startedAt: number
}

/** A flow that has come back. */
export interface TakenFlow extends Pick<Flow, 'callbackUrl' | 'state' | 'purpose' | 'sessionId'> {
  /** What the session will keep of the flow's CSRF token. */
  readonly madeWith: string
  /** Its cookie; undefined where the return has come in another browser. */
  readonly row: CookieRow | undefined
}

const MAX_FLOWS = 5
/** Bytes of the flows that are kept beside a new one. */
const MAX_BYTES = 5000
const STATE = /^[\w-]{43}$/

/**
 * Begins a sign-in: the provider says where to, and what it put aside is sealed into the browser.
 *
 * @throws AuthError `OAuthSignin` where the provider cannot begin
 */
export async function beginFlow(
  ctx: Context,
  callbackUrl: string,
  purpose: Purpose,
): Promise<BeginResult> {
  const { provider, site, service, runtime } = ctx
  const salt = toBase64url(service.runtime.random(32))
  const state = stateOf(await ctx.csrfToken(), salt)
  const begun = await provider
    .begin({
      state: sendsState(ctx) ? state : undefined,
      redirectUri: callbackUrlOf(site, provider),
      params: ctx.query,
      fields: ctx.form.fields,
      purpose,
      callbackUrl,
      language: ctx.language,
      runtime,
      get tokens() {
        return ctx.tokens
      },
      async limitSending(address) {
        await ctx.limit('mailsPerClient')
        await ctx.limit('mailsPerAddress', address)
      },
    })
    .catch((thrown: unknown) => {
      throw asAuthError(thrown, 'OAuthSignin', 'the provider could not begin')
    })
  await dropOldest(ctx)
  const flow: Flow = {
    provider: provider.id,
    purpose,
    callbackUrl,
    salt,
    sessionId: (await ctx.session())?.id ?? '',
    state: begun.flow,
    startedAt: ctx.now,
  }
  const sealed = await service.keys.flow.seal(flow, ctx.now + FLOW_LIFETIME)
  ctx.jar.set(rowWithId(site.cookies.flow, idOf(state)), sealed)
  return begun
}

/**
 * Finds the sign-in that a return belongs to, and deletes its cookie: a flow works once (I-21).
 *
 * @throws AuthError `OAuthCallback` where there is none, or its state is not the one of this browser
 */
export async function takeFlow(ctx: Context, params: URLSearchParams): Promise<TakenFlow> {
  if (!sendsState(ctx)) return takeNewest(ctx)
  const state = params.get('state') ?? ''
  if (!STATE.test(state)) throw refused('the return carries no state of ours')
  const id = idOf(state)
  const flow = await take(ctx, id)
  if (flow?.provider !== ctx.provider.id)
    throw refused('no such sign-in is under way in this browser')
  const token = await presentToken(ctx, flow)
  if (token === undefined) throw refused('the CSRF token is not the one the sign-in began with')
  if (!equalInConstantTime(stateOf(token, flow.salt), state)) throw refused('the state differs')
  return { ...flow, madeWith: mark(token), row: flowRow(ctx, id) }
}

/**
 * Finds the flow that an {@link OutOfBand} return answers, and deletes its cookie; undefined in a
 * browser that did not begin it, or whose CSRF token is no longer the one that it began with (I-31).
 * What makes it work once is its token.
 */
export async function takeRecognised(
  ctx: Context,
  outOfBand: OutOfBand,
  params: URLSearchParams,
): Promise<TakenFlow | undefined> {
  for (const { id, flow } of await openAll(ctx)) {
    if (flow?.provider !== ctx.provider.id || !outOfBand.matches(flow.state, params)) continue
    const token = await presentToken(ctx, flow)
    if (token === undefined || idOf(stateOf(token, flow.salt)) !== id) return undefined
    const row = flowRow(ctx, id)
    ctx.jar.clear(row)
    return { ...flow, madeWith: mark(token), row }
  }
  return undefined
}

/** An {@link OutOfBand} return in a browser that did not begin it: its person has pressed a button. */
export async function flowElsewhere(ctx: Context, params: URLSearchParams): Promise<TakenFlow> {
  return {
    callbackUrl: params.get('callbackUrl') ?? ctx.site.origin,
    state: {},
    purpose: 'signIn',
    sessionId: '',
    madeWith: mark(await ctx.csrfToken()),
    row: undefined,
  }
}

/** The newest flow of a provider in this browser that waits for an {@link OutOfBand} return. */
export async function waitingFlow(ctx: Context, providerId: string): Promise<Flow | undefined> {
  const flows = await openAll(ctx)
  return flows.find(({ flow }) => flow?.provider === providerId)?.flow
}

/**
 * Lets the provider prove who came back.
 *
 * @throws AuthError as the provider does, `OAuthCallback` where it fails otherwise
 */
export async function finishFlow(
  ctx: Context,
  { state: flow, purpose }: TakenFlow,
  params: URLSearchParams,
): Promise<Identity> {
  const { provider, site, runtime } = ctx
  const state = sendsState(ctx) ? (params.get('state') ?? undefined) : undefined
  const redirectUri = callbackUrlOf(site, provider)
  try {
    return await provider.finish({
      params,
      state,
      flow,
      purpose,
      redirectUri,
      runtime,
      get tokens() {
        return ctx.tokens
      },
    })
  } catch (thrown) {
    throw asAuthError(thrown, 'OAuthCallback', 'the provider could not finish')
  }
}

/** The state of I-20. */
function stateOf(csrfToken: string, salt: string): string {
  return toBase64url(sha256(csrfToken + salt))
}

function idOf(state: string): string {
  return state.slice(0, 8)
}

function sendsState({ provider }: Context): boolean {
  return provider.checks?.includes('state') ?? true
}

/**
 * The CSRF token now in the browser, where it is the present session's. One more is taken: the one
 * that the flow began with, if the present session was made with that very token. Then another tab of
 * this browser has signed in since, and so retired it (I-16).
 */
async function presentToken(ctx: Context, flow: Flow): Promise<string | undefined> {
  const token = await ctx.genuineCsrfToken()
  if (token !== undefined) return token
  const former = await ctx.csrfTokenOf(flow.sessionId)
  const session = await ctx.session()
  return former !== undefined && session?.madeWith === mark(former) ? former : undefined
}

/** What a session keeps of the CSRF token that it was made with. */
function mark(csrfToken: string): string {
  return toBase64url(sha256(`session ${csrfToken}`)).slice(0, 22)
}

/** Opens a flow of this browser and deletes its cookie. A copy of the cookie does not open it again. */
async function take(ctx: Context, id: string): Promise<Flow | undefined> {
  const row = flowRow(ctx, id)
  const flow = await open(ctx, row)
  ctx.jar.clear(row)
  return flow && ctx.service.spentFlows.take(flow.salt, flow.startedAt + FLOW_LIFETIME, ctx.now)
    ? flow
    : undefined
}

async function takeNewest(ctx: Context): Promise<TakenFlow> {
  const flows = await openAll(ctx)
  const newest = flows.find(({ flow }) => flow?.provider === ctx.provider.id)
  const flow = newest && (await take(ctx, newest.id))
  if (!flow) throw refused('no such sign-in is under way in this browser')
  return { ...flow, madeWith: '', row: flowRow(ctx, newest.id) }
}

/** Makes room for one more flow (I-21): few, and short enough together for any server's headers. */
async function dropOldest(ctx: Context): Promise<void> {
  const kept = { flows: 0, bytes: 0 }
  for (const { id } of await openAll(ctx)) {
    const row = flowRow(ctx, id)
    kept.flows += 1
    kept.bytes += ctx.jar.get(row.name)?.length ?? 0
    if (kept.flows >= MAX_FLOWS || kept.bytes > MAX_BYTES) ctx.jar.clear(row)
  }
}

interface OpenedFlow {
  readonly id: string
  readonly flow: Flow | undefined
}

/** Every flow cookie of the browser, newest first; those that cannot be opened come last. */
async function openAll(ctx: Context): Promise<readonly OpenedFlow[]> {
  // Browsers send older cookies first: of two of one second the later one is the newer.
  const ids = ctx.jar.ids(ctx.site.cookies.flow.name).toReversed()
  if (ids.length === 0) return []
  const opened = await Promise.all(
    ids.map(async (id) => ({ id, flow: await open(ctx, flowRow(ctx, id)) })),
  )
  return opened.toSorted((a, b) => (b.flow?.startedAt ?? 0) - (a.flow?.startedAt ?? 0))
}

async function open(ctx: Context, row: CookieRow): Promise<Flow | undefined> {
  return (await ctx.service.keys.flow.open(ctx.jar.get(row.name), ctx.now)) as Flow | undefined
}

function flowRow(ctx: Context, id: string): CookieRow {
  return rowWithId(ctx.site.cookies.flow, id)
}

function refused(reason: string): AuthError {
  return new AuthError('OAuthCallback', reason)
}
