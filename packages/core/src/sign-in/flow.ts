import { authorize } from '../decisions.ts'
import type { Context, ProviderInput } from '../context.ts'
import { hashCsrfToken, toState } from '../crypto/csrf.ts'
import { equalInConstantTime, toBase64url } from '../crypto/encoding.ts'
import { asAuthError } from '../errors.ts'
import { getCallbackUrl } from '../http/base-url.ts'
import { FLOW_LIFETIME, withCookieId } from '../http/cookies.ts'
import type { CookieSpec } from '../http/cookies.ts'
import { clearSurplusCookie, setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { limitAttempt, limitClient, limitKey } from '../limits/apply-limit.ts'
import type { BeginResult, FlowState, Provider, Purpose } from '../ports/provider.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import { createOneTimeTokens } from '../storage/one-time-tokens.ts'
import { recall } from './known-browser.ts'
import { toSignIn } from './resolve-user.ts'

/** One sign-in in progress, as the flow cookie seals it (I-21). */
interface Flow {
  readonly provider: string
  readonly purpose: Purpose
  readonly callbackUrl: string
  /** Makes the state, together with the CSRF token (I-20). */
  readonly salt: string
  /** The session in which the flow began; empty if there was none. */
  readonly sessionId: string
  readonly state: FlowState
  /** Whether the flow sent its message again. */
  readonly isResent?: boolean
  /** Seconds since 1970. */
  readonly startedAt: number
}

/** A flow that waits for its callback. */
export type PendingFlow = Pick<Flow, 'callbackUrl' | 'purpose' | 'state' | 'isResent'>

/** What the sign-in of a flow leads to. */
export interface FlowTarget {
  readonly purpose: Purpose
  readonly callbackUrl: string
  /** The session in which the flow began; empty if there was none. */
  readonly sessionId: string
  /** A hash of the flow's CSRF token, kept by the session. */
  readonly csrfTokenHash: string
  /** What the provider remembers in the browser once the sign-in is completed. */
  readonly remember?: unknown
}

/** A flow whose callback has been checked. */
export interface CheckedFlow extends FlowTarget {
  readonly state: FlowState
  /** What makes the flow work once; undefined if a single-use token does. */
  readonly replayKey?: { readonly salt: string; readonly startedAt: number }
}

/** The flow that a callback belongs to, or why there is none, and the flow's cookie. */
export type FoundFlow =
  | { readonly spec: CookieSpec | undefined; readonly flow: CheckedFlow }
  | { readonly spec: CookieSpec | undefined; readonly problem: string }

/** A flow that has begun. */
export interface BegunFlow {
  readonly result: BeginResult
  readonly flow: FlowTarget
  readonly cookies: readonly CookieChange[]
}

const MAX_FLOWS = 5
/** Bytes of the flow cookies that stay beside a new one. */
const MAX_BYTES = 5000
/** Flow cookies of a request that are opened, the newest: a request can hold any number. */
const MAX_OPENED = 20
const STATE = /^[\w-]{43}$/
const FLOW_ID = /^[\w-]{1,8}$/

/**
 * Begins a sign-in at a provider, and seals what the provider keeps into the flow cookie.
 *
 * @throws AuthError `OAuthSignin` if the provider cannot begin
 */
export async function beginFlow(
  ctx: Context,
  input: ProviderInput,
  { callbackUrl, purpose }: Pick<FlowTarget, 'callbackUrl' | 'purpose'>,
): Promise<BegunFlow> {
  const { provider } = input
  const salt = toBase64url(ctx.service.runtime.random(32))
  const { token, cookies } = await ctx.getCsrfToken()
  const state = await toState(token, salt)
  const sessionId = (await ctx.readSession()).session?.id ?? ''
  const result = await begin(ctx, input, { callbackUrl, purpose, state })
  const target = { purpose, callbackUrl, sessionId }
  const flow = { ...target, csrfTokenHash: await hashCsrfToken(token) }
  if (!('flow' in result)) return { result, flow, cookies }
  const isResent = isResend(input) || undefined
  const content = { ...target, provider: provider.id, salt, state: result.flow, isResent }
  const sealed = await ctx.service.keys.flow.seal(
    { ...content, startedAt: ctx.now },
    ctx.now + FLOW_LIFETIME,
  )
  const entered = setCookie(toFlowSpec(ctx, toFlowId(state)), sealed)
  return { result, flow, cookies: [...cookies, ...(await dropOldest(ctx)), entered] }
}

async function begin(
  ctx: Context,
  { provider, query, body }: ProviderInput,
  options: Pick<FlowTarget, 'callbackUrl' | 'purpose'> & { readonly state: string },
): Promise<BeginResult> {
  const { callbackUrl, purpose, state } = options
  try {
    return await provider.begin({
      state: sendsState(provider) ? state : undefined,
      redirectUri: getCallbackUrl(ctx.baseUrl, provider),
      params: query,
      fields: body.fields,
      purpose,
      callbackUrl,
      language: ctx.language,
      runtime: ctx.runtime,
      get tokens() {
        return createOneTimeTokens(ctx, provider)
      },
      limitSending: (...mailbox) => limitSending(ctx, purpose, ...mailbox),
      limitAttempt: (name, browserId) => limitAttempt(ctx, `${provider.id} ${name}`, browserId),
      recall: () => recall(ctx, provider),
      request: ctx.request,
      log: ctx.service.log,
      authorizeSending: (identifier) => authorizeSending(ctx, provider, identifier),
    })
  } catch (thrown) {
    throw asAuthError(thrown, 'OAuthSignin', `${provider.id} could not begin`)
  }
}

/** Counts a message. A message that links has separate limits: it must not lock its recipient out (I-32). */
async function limitSending(
  ctx: Context,
  purpose: Purpose,
  mailbox: string,
  browserId?: string,
): Promise<void> {
  await limitClient(ctx, 'mailsPerClient')
  if (purpose === 'signIn') {
    const key = browserId === undefined ? mailbox : `browser ${browserId} ${mailbox}`
    return limitKey(ctx, 'mailsPerAddress', key)
  }
  const { session } = await ctx.readSession()
  await limitKey(ctx, 'linkMailsPerUser', session?.token.sub)
  await limitKey(ctx, 'linkMailsPerAddress', mailbox)
}

/** Asks about the email address that was typed, never about a stored user who has it (I-29, I-46). */
async function authorizeSending(
  ctx: Context,
  provider: Provider,
  identifier: string,
): Promise<URL | undefined> {
  const identity = { subject: identifier, profile: { email: identifier }, tokens: {}, claims: {} }
  const proven = toSignIn(provider, identity, ctx.service.providers)
  const signIn = { ...proven, email: { verificationRequest: true } } as const
  const elsewhere = await authorize(ctx.service.callbacks, signIn)
  return elsewhere === undefined ? undefined : new URL(await resolveReturnUrl(ctx, elsewhere))
}

/** Finds the flow of a callback and checks its state (I-20). */
export async function findFlow(
  ctx: Context,
  provider: Provider,
  params: URLSearchParams,
): Promise<FoundFlow> {
  if (!sendsState(provider)) return findNewestFlow(ctx, provider)
  const state = readState(provider, params) ?? ''
  if (!STATE.test(state))
    return { spec: undefined, problem: 'the callback has no state that this service issued' }
  const spec = toFlowSpec(ctx, toFlowId(state))
  const flow = await openFlow(ctx, spec)
  if (flow?.provider !== provider.id) return { spec, problem: noFlow }
  const token = await findCsrfToken(ctx, flow)
  if (token === undefined) return { spec, problem: "the CSRF token differs from the flow's token" }
  if (!equalInConstantTime(await toState(token, flow.salt), state)) {
    return { spec, problem: "the state differs from the flow's state" }
  }
  return { spec, flow: toCheckedFlow(flow, await hashCsrfToken(token)) }
}

const noFlow = 'no matching flow cookie: the sign-in expired or began in another browser'

/** A provider without state: its newest flow in this browser is the callback's. */
async function findNewestFlow(ctx: Context, provider: Provider): Promise<FoundFlow> {
  const flows = await openFlows(ctx)
  const newest = flows.find(({ flow }) => flow?.provider === provider.id)
  if (!newest?.flow) return { spec: undefined, problem: noFlow }
  await ctx.readSession()
  return { spec: toFlowSpec(ctx, newest.id), flow: toCheckedFlow(newest.flow, '') }
}

/**
 * Finds the flow that an {@link OutOfBand} callback answers; undefined if the browser did not begin
 * it, or if its CSRF token is no longer the flow's (I-31).
 */
export async function findMatchingFlow(
  ctx: Context,
  provider: Provider,
  params: URLSearchParams,
): Promise<FoundFlow | undefined> {
  for (const { id, flow } of await openFlows(ctx)) {
    if (flow?.provider !== provider.id) continue
    if (!(await provider.outOfBand?.matches(flow.state, params))) continue
    const token = await findCsrfToken(ctx, flow)
    if (token === undefined || toFlowId(await toState(token, flow.salt)) !== id) return undefined
    const { replayKey: _, ...checked } = toCheckedFlow(flow, await hashCsrfToken(token))
    return { spec: toFlowSpec(ctx, id), flow: checked }
  }
  return undefined
}

/** Returns the flow of an {@link OutOfBand} callback whose user confirmed it in another browser. */
export async function toFlowOfOtherBrowser(
  ctx: Context,
  params: URLSearchParams,
): Promise<FoundFlow> {
  const { token } = await ctx.getCsrfToken()
  const callbackUrl = params.get('callbackUrl') ?? ctx.baseUrl.origin
  const target = { callbackUrl, purpose: 'signIn', sessionId: '' } as const
  const csrfTokenHash = await hashCsrfToken(token)
  return { spec: undefined, flow: { ...target, state: {}, csrfTokenHash } }
}

/** Returns the newest flow of a provider in this browser. */
export async function findPendingFlow(
  ctx: Context,
  providerId: string,
): Promise<PendingFlow | undefined> {
  const flows = await openFlows(ctx)
  return flows.find(({ flow }) => flow?.provider === providerId)?.flow
}

/** Returns whether a form of the page "Check your email" asks for the message once more (I-31). */
export function isResend({ body }: Pick<ProviderInput, 'body'>): boolean {
  return body.fields.get('resend') === 'true'
}

function toFlowId(state: string): string {
  return state.slice(0, 8)
}

/** Returns the state of a callback; undefined if the callback or the provider has no state. */
export function readState(provider: Provider, params: URLSearchParams): string | undefined {
  if (!sendsState(provider)) return undefined
  return provider.readState ? provider.readState(params) : (params.get('state') ?? undefined)
}

/** Returns whether a provider sends and returns a state. */
function sendsState({ checks }: Provider): boolean {
  return checks?.includes('state') ?? true
}

function toCheckedFlow(flow: Flow, csrfTokenHash: string): CheckedFlow {
  const { purpose, callbackUrl, sessionId, state, salt, startedAt } = flow
  return {
    purpose,
    callbackUrl,
    sessionId,
    state,
    csrfTokenHash,
    replayKey: { salt, startedAt },
  }
}

/**
 * Returns the CSRF token that the browser has now. The token that the flow began with is accepted too if
 * another tab's sign-in has retired it since (I-16) and the present session was made with it.
 */
async function findCsrfToken(ctx: Context, flow: Flow): Promise<string | undefined> {
  // If the storage fails, nothing is used up: the flow stays, and no code is sent.
  await ctx.readSession()
  const token = await ctx.readCsrfToken()
  if (token !== undefined) return token
  const cookie = ctx.cookies.get(ctx.baseUrl.cookies.csrf.name)
  const previous = await ctx.service.csrf.verify(cookie, flow.sessionId)
  const { session } = await ctx.readSession()
  const isSame =
    previous !== undefined && session?.csrfTokenHash === (await hashCsrfToken(previous))
  return isSame ? previous : undefined
}

/** Deletes flow cookies until there is room for one more (I-21), also within servers' limits of headers. */
async function dropOldest(ctx: Context): Promise<readonly CookieChange[]> {
  let bytes = 0
  const opened = (await openFlows(ctx)).map(({ id }) => toFlowSpec(ctx, id))
  const rest = listFlowIds(ctx).slice(MAX_OPENED)
  const dropped = opened.filter(({ name }, i) => {
    bytes += ctx.cookies.get(name)?.length ?? 0
    return i + 1 >= MAX_FLOWS || bytes > MAX_BYTES
  })
  // Of many deletions the first ones are made (I-14): the oldest flows, and flows that cannot be opened.
  const rows = [...dropped, ...rest.map((id) => toFlowSpec(ctx, id))]
  return rows.toReversed().map(clearSurplusCookie)
}

interface OpenedFlow {
  readonly id: string
  readonly flow: Flow | undefined
}

/** What {@link openFlows} returned for a request. */
const openedFlows = new WeakMap<Context, Promise<readonly OpenedFlow[]>>()

/** Opens the newest flow cookies of the browser, newest first; those that cannot be opened come last. */
function openFlows(ctx: Context): Promise<readonly OpenedFlow[]> {
  const opened = openedFlows.get(ctx) ?? openNewest(ctx, listFlowIds(ctx).slice(0, MAX_OPENED))
  openedFlows.set(ctx, opened)
  return opened
}

async function openNewest(ctx: Context, ids: readonly string[]): Promise<readonly OpenedFlow[]> {
  const opened = await Promise.all(
    ids.map(async (id) => ({ id, flow: await openFlow(ctx, toFlowSpec(ctx, id)) })),
  )
  return opened.toSorted((a, b) => (b.flow?.startedAt ?? 0) - (a.flow?.startedAt ?? 0))
}

/** Lists the flow cookies of a request, newest first: browsers send older ones before. */
function listFlowIds({ cookies, baseUrl }: Context): readonly string[] {
  const ids = cookies.ids(baseUrl.cookies.flow.name).filter((id) => FLOW_ID.test(id))
  return ids.toReversed()
}

async function openFlow(ctx: Context, spec: CookieSpec): Promise<Flow | undefined> {
  const content = await ctx.service.keys.flow.open(ctx.cookies.get(spec.name), ctx.now)
  // An earlier version sealed other fields.
  return content?.['state'] === undefined ? undefined : (content as unknown as Flow)
}

function toFlowSpec(ctx: Context, id: string): CookieSpec {
  return withCookieId(ctx.baseUrl.cookies.flow, id)
}
