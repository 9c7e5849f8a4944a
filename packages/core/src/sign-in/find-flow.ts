import { getOutOfBand } from '../kernel/context.ts'
import type { Context } from '../kernel/context.ts'
import { hashCsrfToken, toState } from '../crypto/csrf.ts'
import { equalInConstantTime } from '../crypto/encoding.ts'
import type { CookieSpec } from '../http/cookies.ts'
import type { Provider } from '../ports/provider.ts'
import { getIssueTime } from '../storage/one-time-tokens.ts'
import { openFlow, openFlows, readState, sendsState, toFlowId, toFlowSpec } from './flow.ts'
import type { Flow, FlowTarget, OpenedFlow } from '../kernel/flow.ts'

/** A flow that waits for its callback. */
export type PendingFlow = Pick<Flow, 'callbackUrl' | 'purpose' | 'state' | 'isResent'>

/** A flow whose callback has been checked. */
export interface CheckedFlow extends FlowTarget, Pick<Flow, 'state'> {
  /** What makes the flow work once, until it expires; undefined if a single-use token does. */
  readonly replayKey?: Pick<OpenedFlow, 'salt' | 'exp'>
}

/** The flow that a callback belongs to, or why there is none, and the flow's cookie. */
export type FoundFlow =
  | { readonly spec: CookieSpec | undefined; readonly flow: CheckedFlow }
  | {
      readonly spec: CookieSpec | undefined
      readonly problem: string
      /** Whether the browser has no cookie of the flow, as after the callback. */
      readonly isGone?: boolean
    }

const STATE = /^[\w-]{43}$/

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
  if (flow?.provider !== provider.id) {
    const cookie = ctx.cookies.get(spec.name)
    if (cookie === undefined) return gone
    const isKept = await ctx.service.keys.flow.namesUnknownKey(cookie)
    return { spec: isKept ? undefined : spec, problem: noFlow }
  }
  const token = await findCsrfToken(ctx, flow)
  if (token === undefined) return { spec, problem: "the CSRF token differs from the flow's token" }
  if (!equalInConstantTime(await toState(token, flow.salt), state)) {
    return { spec, problem: "the state differs from the flow's state" }
  }
  return { spec, flow: toCheckedFlow(flow, await hashCsrfToken(token)) }
}

const noFlow = 'no matching flow cookie: the sign-in expired or began in another browser'
const gone = { spec: undefined, problem: noFlow, isGone: true } as const

/** A provider without state: its newest flow in this browser is the callback's. */
async function findNewestFlow(ctx: Context, provider: Provider): Promise<FoundFlow> {
  const flows = await openFlows(ctx)
  const newest = flows.find(({ flow }) => flow?.provider === provider.id)
  if (!newest?.flow) return gone
  await ctx.readSession()
  return { spec: toFlowSpec(ctx, newest.id), flow: toCheckedFlow(newest.flow, undefined) }
}

/**
 * Finds the flow that an {@link OutOfBand} callback answers; undefined if the browser did not begin
 * it, or if its CSRF token is no longer the flow's.
 */
export async function findMatchingFlow(
  ctx: Context,
  provider: Provider,
  params: URLSearchParams,
): Promise<FoundFlow | undefined> {
  for (const { id, flow } of await openFlows(ctx)) {
    if (flow?.provider !== provider.id) continue
    if (!(await getOutOfBand(provider)?.matches(flow.state, params))) continue
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
  const target = { callbackUrl, purpose: 'signIn' } as const
  const csrfTokenHash = await hashCsrfToken(token)
  const startedAt = getIssueTime(params.get('token') ?? '')
  return { spec: undefined, flow: { ...target, state: {}, csrfTokenHash, startedAt } }
}

/** Returns the newest flow of a provider in this browser. */
export async function findPendingFlow(
  ctx: Context,
  providerId: string,
): Promise<PendingFlow | undefined> {
  const flows = await openFlows(ctx)
  return flows.find(({ flow }) => flow?.provider === providerId)?.flow
}

function toCheckedFlow(flow: OpenedFlow, csrfTokenHash: string | undefined): CheckedFlow {
  const { purpose, callbackUrl, sessionId, state, salt, exp, startedAt } = flow
  return {
    purpose,
    callbackUrl,
    sessionId,
    state,
    csrfTokenHash,
    startedAt,
    replayKey: { salt, exp },
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
