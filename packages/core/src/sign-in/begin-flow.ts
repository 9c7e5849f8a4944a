import type { Context, ProviderInput } from '../kernel/context.ts'
import { hashCsrfToken, toState } from '../crypto/csrf.ts'
import { toBase64url } from '../crypto/encoding.ts'
import { authorize } from '../kernel/decisions.ts'
import { asAuthError } from '../lib/errors.ts'
import { getCallbackUrl } from '../http/base-url.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { limitAttempt, limitClient } from '../limits/apply-limit.ts'
import { spendLimit } from '../limits/limits.ts'
import type { BeginInput, BeginResult, Provider, Purpose } from '../ports/provider.ts'
import { sealFlow, sendsState } from './flow.ts'
import type { FlowTarget } from '../kernel/flow.ts'
import { recall } from './known-browser.ts'
import { toSignIn } from './resolve-user.ts'
import { getStorageCode } from './storage-code.ts'

/** A flow that has begun. */
export interface BegunFlow {
  readonly result: BeginResult
  readonly flow: FlowTarget
  readonly cookies: readonly CookieChange[]
}

/**
 * Begins a sign-in at a provider, and seals what the provider keeps into the flow cookie.
 *
 * @param beginAt What the capability of a provider does in place of its `begin`
 * @throws AuthError `OAuthSignin` if the provider cannot begin
 */
export async function beginFlow(
  ctx: Context,
  input: ProviderInput,
  { callbackUrl, purpose }: Pick<FlowTarget, 'callbackUrl' | 'purpose'>,
  beginAt?: Begin,
): Promise<BegunFlow> {
  const { provider } = input
  const salt = toBase64url(ctx.service.runtime.random(32))
  const { token, cookies } = await ctx.getCsrfToken()
  const state = await toState(token, salt)
  const sessionId = (await ctx.readSession()).session?.id
  const startedAt = Math.floor(ctx.service.runtime.now())
  const result = await begin(ctx, input, { callbackUrl, purpose, state, beginAt })
  const target = { purpose, callbackUrl, sessionId }
  const flow = { ...target, csrfTokenHash: await hashCsrfToken(token), startedAt }
  if (!('flow' in result)) return { result, flow, cookies }
  const isResent = isResend(input) || undefined
  const content = { ...target, provider: provider.id, salt, state: result.flow, isResent }
  return { result, flow, cookies: [...cookies, ...(await sealFlow(ctx, content, state))] }
}

/** Begins a sign-in in place of the function of the provider. */
export type Begin = (input: BeginInput) => Promise<BeginResult>

interface Beginning extends Pick<FlowTarget, 'callbackUrl' | 'purpose'> {
  readonly state: string
  readonly beginAt: Begin | undefined
}

async function begin(
  ctx: Context,
  { provider, query, body }: ProviderInput,
  options: Beginning,
): Promise<BeginResult> {
  const { callbackUrl, purpose, state, beginAt = (asked) => provider.begin(asked) } = options
  try {
    return await beginAt({
      state: sendsState(provider) ? state : undefined,
      redirectUri: getCallbackUrl(ctx.baseUrl, provider),
      params: query,
      fields: body.fields,
      purpose,
      callbackUrl,
      language: ctx.language,
      brand: ctx.service.theme.brand,
      runtime: ctx.runtime,
      get tokens() {
        return getStorageCode(ctx.service, provider).createOneTimeTokens(ctx, provider)
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
    await spendLimit(ctx, 'mailsPerAddress', key)
    return
  }
  const { session } = await ctx.readSession()
  await spendLimit(ctx, 'linkMailsPerUser', session?.token.sub)
  await spendLimit(ctx, 'linkMailsPerAddress', mailbox)
}

/** Asks about the email address that was typed, never about a stored user who has it (I-29, I-46). */
async function authorizeSending(
  ctx: Context,
  provider: Provider,
  identifier: string,
): Promise<URL | undefined> {
  const identity = { subject: identifier, profile: { email: identifier }, tokens: {}, claims: {} }
  const proven = toSignIn(ctx.service.providers, provider, identity)
  const signIn = { ...proven, email: { verificationRequest: true } } as const
  const elsewhere = await authorize(ctx.service.callbacks, signIn)
  return elsewhere === undefined ? undefined : new URL(await resolveReturnUrl(ctx, elsewhere))
}

/** Returns whether a form of the page "Check your email" asks for the message once more (I-31). */
export function isResend({ body }: Pick<ProviderInput, 'body'>): boolean {
  return body.fields.get('resend') === 'true'
}
