import type { Context, CookieSpec, CookieChange } from '@latchkey/core/capability'
import {
  hashCsrfToken,
  equalInConstantTime,
  toBase64url,
  FLOW_LIFETIME,
} from '@latchkey/core/capability'
import { readText } from '@latchkey/core/capability/options'
import type { Provider, Purpose } from '@latchkey/core'
import type { CheckedFlow } from '@latchkey/core/capability/sign-in'
import { openFlow, sealFlowInto, toFlowSpec } from '@latchkey/core/capability/sign-in'
import type { PasskeyUse } from './settings.ts'

/** What a challenge is bound to besides the browser's session and CSRF token. */
export interface PasskeyFlow {
  readonly use: PasskeyUse
  readonly callbackUrl: string
  /** Of a registration: the user handle of the options. */
  readonly userHandle?: string
  /** Of a registration: whether the browser can create the passkey without asking the user. */
  readonly isAutomatic?: boolean
  /** Of a second factor: the salt of the unfinished sign-in. */
  readonly step?: string
}

/** A flow whose callback has been checked. */
export interface FoundPasskeyFlow {
  readonly spec: CookieSpec
  readonly flow: CheckedFlow
  readonly challenge: string
  readonly asked: PasskeyFlow
}

/** The id of the one flow of a browser. The ids of other flows have eight characters, so that it does not count among them. */
const ID = 'passkey'

const purposes: Readonly<Record<PasskeyUse, Purpose>> = {
  signIn: 'signIn',
  confirm: 'confirm',
  second: 'signIn',
  register: 'link',
}

/** Makes a challenge, and seals it into the browser's flow of passkeys (I-56.3). */
export async function sealPasskeyFlow(
  ctx: Context,
  { id: provider }: Pick<Provider, 'id'>,
  asked: PasskeyFlow,
): Promise<{ readonly challenge: string; readonly cookies: readonly CookieChange[] }> {
  const { random } = ctx.service.runtime
  const challenge = toBase64url(random(32))
  const salt = toBase64url(random(16))
  const { token, cookies } = await ctx.getCsrfToken()
  const { use, callbackUrl, isAutomatic, ...kept } = asked
  const state = {
    challenge,
    use,
    csrfTokenHash: await hashCsrfToken(token),
    ...(isAutomatic && { automatic: 'true' }),
    ...kept,
  }
  const sessionId = (await ctx.readSession()).session?.id
  const flow = { provider, purpose: purposes[use], callbackUrl, salt, sessionId, state }
  return { challenge, cookies: [...cookies, await sealFlowInto(ctx, toFlowSpec(ctx, ID), flow)] }
}

/** Finds the flow of a callback, or says why there is none. */
export async function findPasskeyFlow(
  ctx: Context,
  provider: Pick<Provider, 'id'>,
): Promise<FoundPasskeyFlow | { readonly spec: CookieSpec | undefined; readonly problem: string }> {
  const spec = toFlowSpec(ctx, ID)
  const flow = await openFlow(ctx, spec)
  const token = await ctx.readCsrfToken()
  if (flow?.provider !== provider.id || token === undefined) {
    const isKept = await ctx.service.keys.flow.namesUnknownKey(ctx.cookies.get(spec.name) ?? '')
    const problem = 'no challenge: it expired or belongs to another browser'
    return { spec: isKept ? undefined : spec, problem }
  }
  const { state, purpose, callbackUrl, sessionId, salt, exp, startedAt } = flow
  const csrfTokenHash = await hashCsrfToken(token)
  // A CSRF token belongs to one session (I-16).
  if (!equalInConstantTime(csrfTokenHash, state['csrfTokenHash'] ?? '')) {
    return { spec, problem: 'the challenge belongs to another CSRF token' }
  }
  const target = { purpose, callbackUrl, sessionId, csrfTokenHash, state, startedAt }
  const checked = { ...target, replayKey: { salt, exp } }
  return { spec, flow: checked, challenge: state['challenge'] ?? '', asked: toAsked(flow) }
}

function toAsked({ state, callbackUrl }: Pick<CheckedFlow, 'state' | 'callbackUrl'>): PasskeyFlow {
  const { userHandle, step } = state
  return {
    use: toUse(readText(state, 'use')),
    callbackUrl,
    ...(userHandle !== undefined && { userHandle }),
    isAutomatic: state['automatic'] === 'true',
    ...(step !== undefined && { step }),
  }
}

function toUse(text: string | undefined): PasskeyUse {
  return text === 'confirm' || text === 'second' || text === 'register' ? text : 'signIn'
}

/** Milliseconds that a ceremony can take: as long as its flow. */
export const TIMEOUT: number = FLOW_LIFETIME * 1000
