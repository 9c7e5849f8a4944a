import type { Flow, OpenedFlow } from '../kernel/flow.ts'
import type { Context } from '../kernel/context.ts'
import { FLOW_LIFETIME, withCookieId } from '../http/cookies.ts'
import type { CookieSpec } from '../http/cookies.ts'
import { clearSurplusCookie, setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Provider } from '../ports/provider.ts'

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
