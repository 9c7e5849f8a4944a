import type { Context } from '../kernel/context.ts'
import { FLOW_LIFETIME, withCookieId } from '../http/cookies.ts'
import type { CookieSpec } from '../http/cookies.ts'
import { clearSurplusCookie, setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { FlowState, Provider, Purpose } from '../ports/provider.ts'
import type { AuthenticationMethod, NewFactor, StoredEvent } from '../ports/records.ts'

/** One sign-in in progress, as its cookie seals it (I-21). */
export interface Flow {
  readonly provider: string
  readonly purpose: Purpose
  readonly callbackUrl: string
  /** Makes the state, together with the CSRF token (I-20). */
  readonly salt: string
  /** The session in which the flow began; absent if there was none. */
  readonly sessionId?: string | undefined
  readonly state: FlowState
  /** Whether the flow sent its message again. */
  readonly isResent?: boolean | undefined
}

/** A flow of the browser. */
export interface OpenedFlow extends Flow, Pick<FlowTarget, 'startedAt'> {
  /** Seconds since 1970. */
  readonly exp: number
}

/** A factor that a sign-in stores together with its session, and the events of that step. */
export interface EnrolledFactor {
  readonly factor: NewFactor
  readonly rows: readonly StoredEvent[] | undefined
}

/** A second factor that the user of a flow has proven (I-52.6). */
export interface SecondProof {
  /** Empty if the user was not stored at the first step. */
  readonly userId: string
  /** The methods of the factor, without `mfa`. */
  readonly methods: readonly AuthenticationMethod[]
  /** The fingerprint of the user's factors; absent if the sign-in enrols one. */
  readonly factors?: string
  /** Returns the factor that the sign-in enrols for its user; absent if the user has it (I-52.10). */
  readonly toEnrolled?: (userId: string) => Promise<EnrolledFactor>
}

/** What the sign-in of a flow leads to. */
export interface FlowTarget extends Pick<Flow, 'purpose' | 'callbackUrl' | 'sessionId'> {
  /** A hash of the flow's CSRF token, kept by the session; undefined without a state. */
  readonly csrfTokenHash: string | undefined
  /**
   * Milliseconds since 1970: a sign-in ends with the sessions of its user that are ended later (I-34). Undefined if the flow does
   * not say it.
   */
  readonly startedAt?: number | undefined
  /** Absent in the first step. No cookie holds it: it is proven by the request that completes the flow. */
  readonly second?: SecondProof
}

/** A flow cookie of a request. */
interface FlowCookie {
  readonly id: string
  /** Undefined if the cookie cannot be opened. */
  readonly flow: OpenedFlow | undefined
}

/** The version of {@link Flow}: a flow that another version of Latchkey sealed counts as no flow (I-21). */
const VERSION = 1
const MAX_FLOWS = 5
/** Flow cookies of a request that are opened, the newest: a request can hold any number. */
const MAX_OPENED = 20
const FLOW_ID = /^[\w-]{8}$/

/** Seals a flow into its cookie, and deletes the oldest flows of the browser. */
export async function sealFlow(
  ctx: Context,
  flow: Flow,
  state: string,
): Promise<readonly CookieChange[]> {
  const entered = await sealFlowInto(ctx, toFlowSpec(ctx, toFlowId(state)), flow)
  return [...(await dropOldest(ctx)), entered]
}

/** Seals a flow into a cookie. */
export async function sealFlowInto(
  ctx: Context,
  spec: CookieSpec,
  flow: Flow,
): Promise<CookieChange> {
  const content = { ...flow, v: VERSION, startedAt: Math.floor(ctx.service.runtime.now()) }
  const sealed = await ctx.service.keys.flow.seal(content, ctx.now + FLOW_LIFETIME)
  return setCookie(spec, sealed)
}

/** Deletes the oldest flow cookies, so that there is room for one more. */
async function dropOldest(ctx: Context): Promise<readonly CookieChange[]> {
  const opened = (await openFlows(ctx)).map(({ id }) => id)
  const surplus = [...opened.slice(MAX_FLOWS - 1), ...listFlowIds(ctx).slice(MAX_OPENED)]
  // Of many deletions the first ones are made (I-14): the oldest flows, and flows that cannot be opened.
  return surplus.toReversed().map((id) => clearSurplusCookie(toFlowSpec(ctx, id)))
}

/** What {@link openFlows} returned for a request. */
const openedFlows = new WeakMap<Context, Promise<readonly FlowCookie[]>>()

/** Opens the newest flow cookies of the browser, newest first; those that cannot be opened come last. */
export function openFlows(ctx: Context): Promise<readonly FlowCookie[]> {
  const opened = openedFlows.get(ctx) ?? openNewest(ctx, listFlowIds(ctx).slice(0, MAX_OPENED))
  openedFlows.set(ctx, opened)
  return opened
}

async function openNewest(ctx: Context, ids: readonly string[]): Promise<readonly FlowCookie[]> {
  const opened = await Promise.all(
    ids.map(async (id) => ({ id, flow: await openFlow(ctx, toFlowSpec(ctx, id)) })),
  )
  return opened.toSorted((a, b) => (b.flow?.exp ?? 0) - (a.flow?.exp ?? 0))
}

/** Lists the flow cookies of a request, newest first: browsers send older ones before. */
function listFlowIds({ cookies, baseUrl }: Context): readonly string[] {
  const ids = cookies.ids(baseUrl.cookies.flow.name).filter((id) => FLOW_ID.test(id))
  return ids.toReversed()
}

/** Opens a flow cookie; undefined if it cannot be opened, or another version of Latchkey sealed it. */
export async function openFlow(ctx: Context, spec: CookieSpec): Promise<OpenedFlow | undefined> {
  const content = await ctx.service.keys.flow.open(ctx.cookies.get(spec.name), ctx.now)
  return isFlow(content) ? content : undefined
}

function isFlow(content: object | undefined): content is OpenedFlow {
  return content !== undefined && 'v' in content && content.v === VERSION
}

/** Returns the cookie of a flow. */
export function toFlowSpec(ctx: Context, id: string): CookieSpec {
  return withCookieId(ctx.baseUrl.cookies.flow, id)
}

/** Returns the part of a state that is in the name of the flow's cookie. */
export function toFlowId(state: string): string {
  return state.slice(0, 8)
}

/** Returns whether a provider sends and returns a state. */
export function sendsState({ checks }: Provider): boolean {
  return checks?.includes('state') ?? true
}

/** Returns the state of a callback; undefined if the callback or the provider has no state. */
export function readState(provider: Provider, params: URLSearchParams): string | undefined {
  if (!sendsState(provider)) return undefined
  return provider.readState ? provider.readState(params) : (params.get('state') ?? undefined)
}
