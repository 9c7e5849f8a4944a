import { getOutOfBand } from '../kernel/context.ts'
import { getPurpose } from '../sign-in/purposes.ts'
import type { Context, Input, ProviderInput, ShownError, TypedFields } from '../kernel/context.ts'
import { toErrorCode } from '../lib/errors.ts'
import type { ErrorCode } from '../ports/error-code.ts'
import { getCallbackUrl } from '../http/base-url.ts'
import { page, redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { renderConfirmPage } from '../pages/continue.ts'
import { renderErrorPage } from '../pages/error.ts'
import type { PageContext } from '../pages/layout.ts'
import { renderSignInPage } from '../pages/signin.ts'
import { renderSignOutPage } from '../pages/signout.ts'
import { renderVerifyRequestPage } from '../pages/verify-request.ts'
import type { PendingSignIn } from '../pages/verify-request.ts'
import type { Messages } from '../ports/messages.ts'
import type { Provider } from '../ports/provider.ts'
import { findPendingFlow } from '../sign-in/find-flow.ts'
import type { PendingFlow } from '../sign-in/find-flow.ts'
import type { Session } from '../session/session.ts'
import { getSignInUrl, toUrl } from '../sign-in/urls.ts'

/** What the sign-in and sign-out pages show in addition to their forms. */
interface PageOptions {
  readonly callbackUrl: string
  readonly error?: ErrorCode | undefined
  readonly status?: number
}

/** What else the sign-in page shows. */
interface SignInPageOptions extends PageOptions {
  /** Default: the sentence of `error` */
  readonly message?: string
  readonly typed?: TypedFields | undefined
  /** How the page names the signed-in user; undefined if there is no session. */
  readonly signedInAs?: string | undefined
}

/** What else the sign-out page shows. */
interface SignOutPageOptions extends PageOptions {
  /** How the page names the signed-in user; null if there is no session. */
  readonly signedInAs?: string | null
}

/** Replies with the sign-in page for some providers, or redirects to `pages.signIn`. */
export async function replySignInPage(
  ctx: Context,
  providers: readonly Provider[],
  { callbackUrl, error, status, message, typed, signedInAs }: SignInPageOptions,
): Promise<Reply> {
  const { signIn } = ctx.service.pages
  if (signIn !== undefined) return redirect(toUrl(ctx, signIn, { callbackUrl, error }))
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const base = ctx.baseUrl.href
  const sentence = message ?? (error && ctx.language.messages.errors[error])
  const form = { base, providers, csrfToken, callbackUrl, message: sentence, typed }
  const view = {
    ...toPageContext(ctx),
    ...form,
    isStep: isStep(error),
    signedInAs,
    providersFirst: ctx.service.theme.providersFirst,
    lastUsed: providers.length > 1 ? ctx.cookies.get(ctx.baseUrl.cookies.last.name) : undefined,
  }
  const { renderForms } = ctx.service.capabilities
  return withCookies(page(renderSignInPage(view, renderForms), status), cookies)
}

/** Returns whether an error is a step of what the user does: nothing went wrong. */
export function isStep(error: ErrorCode = 'Default'): boolean {
  return /Required$|^Cancelled/.test(error)
}

/** Shows the page again whose form was posted to a provider: the one for its purpose, or the sign-in page. */
export function showSignInAgain(ctx: Context, view: ShownError, input: Input): Promise<Reply> {
  const { capabilities, providers } = ctx.service
  const row = capabilities.purposes.get(getPurpose(ctx, input.body))
  return row?.show?.(ctx, view, input) ?? replySignInPage(ctx, [...providers.values()], view)
}

/** Replies with the sign-out page, or redirects to `pages.signOut`. */
export async function replySignOutPage(
  ctx: Context,
  { callbackUrl, error, status, signedInAs }: SignOutPageOptions,
): Promise<Reply> {
  const { signOut } = ctx.service.pages
  if (signOut !== undefined) return redirect(toUrl(ctx, signOut, { callbackUrl, error }))
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const base = ctx.baseUrl.href
  const view = { ...toPageContext(ctx), base, csrfToken, callbackUrl, error, signedInAs }
  return withCookies(page(renderSignOutPage(view), status), cookies)
}

/** What the page "Check your email" says after an error. */
interface VerifyRequestOptions {
  readonly error?: ErrorCode | undefined
  readonly status?: number
  /** Default: the sentence of `error` */
  readonly message?: string
}

/**
 * Replies with the page "Check your email", or redirects to `pages.verifyRequest`. In the browser
 * that asked, the page names the email address, sends the message again, and takes a code if there is
 * one (I-31). What the page needs is in the flow cookie, never in a URL.
 */
export async function replyVerifyRequestPage(
  ctx: Context,
  provider: Provider | undefined,
  { error, status, message }: VerifyRequestOptions,
): Promise<Reply> {
  const { verifyRequest } = ctx.service.pages
  if (verifyRequest !== undefined) return redirect(toUrl(ctx, verifyRequest, { error }))
  const flow = provider && getOutOfBand(provider) && (await findPendingFlow(ctx, provider.id))
  const { token: csrfToken, cookies } = flow ? await ctx.getCsrfToken() : noToken
  const waiting = provider && flow && toPendingSignIn(ctx, provider, flow, csrfToken)
  const { messages } = ctx.language
  const isWrongCode = waiting?.acceptsCode && error === 'Verification'
  const sentence = isWrongCode ? messages.wrongCode : (message ?? (error && messages.errors[error]))
  const signInUrl = getSignInUrl(ctx, flow?.callbackUrl)
  const view = {
    ...toPageContext(ctx),
    message: sentence,
    isLimited: error === 'RateLimited' && message !== undefined,
    signInUrl,
    waiting,
  }
  return withCookies(page(renderVerifyRequestPage(view), status), cookies)
}

const noToken = { token: '', cookies: [] }

function toPendingSignIn(
  { baseUrl }: Context,
  provider: Provider,
  { state, callbackUrl, purpose, isResent = false }: PendingFlow,
  csrfToken: string,
): PendingSignIn | undefined {
  const pending = getOutOfBand(provider)?.describePending(state)
  const intent = purpose === 'signIn' ? undefined : { [purpose]: 'true' }
  const form = { csrfToken, callbackUrl, resend: 'true', ...intent, ...pending?.fields }
  return (
    pending && {
      ...pending,
      action: getCallbackUrl(baseUrl, provider),
      csrfToken,
      isResent,
      again: pending.fields && { action: `${baseUrl.href}/signin/${provider.id}`, fields: form },
      canChange: purpose === 'signIn',
    }
  )
}

/** Replies with the page that asks a user who opened a link whether to sign in. */
export async function replyConfirmPage(
  ctx: Context,
  { provider }: ProviderInput,
  confirmation: {
    readonly identifier: string
    readonly fields: Readonly<Record<string, string>>
  },
): Promise<Reply> {
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const view = {
    ...toPageContext(ctx),
    action: getCallbackUrl(ctx.baseUrl, provider),
    identifier: confirmation.identifier,
    fields: { ...confirmation.fields, csrfToken },
  }
  return withCookies(page(renderConfirmPage(view)), cookies)
}

/** What the error page says. */
interface ErrorPageOptions {
  readonly status: number
  /** Where a sign-in leads. Default: the origin */
  readonly callbackUrl?: string
  /** Default: the sentence of the code */
  readonly message?: string | undefined
}

/** Replies with the error page. */
export function replyErrorPage(
  ctx: Context,
  error: ErrorCode,
  { status, callbackUrl, message }: ErrorPageOptions,
): Reply {
  const { messages } = ctx.language
  const view = {
    ...toPageContext(ctx),
    signInUrl: getSignInUrl(ctx, callbackUrl),
    heading: getHeading(messages, error),
    message: message ?? messages.errors[error],
    label: error === 'AccessDenied' ? messages.useAnotherAccount : undefined,
  }
  return page(renderErrorPage(view), status)
}

/** Returns the heading of the error page. */
export function getHeading(messages: Messages, error: ErrorCode): string {
  if (error === 'AccessDenied') return messages.accessDenied
  return error === 'Verification' ? messages.linkExpired : messages.error
}

/** Returns the error code of a query; an unknown one counts as `Default`. */
export function getErrorCode(query: Input['query']): ErrorCode | undefined {
  const error = query.get('error')
  return error === undefined ? undefined : toErrorCode(error)
}

/** Returns what `layout` needs of a request: the language, the theme, and the origin. */
export function toPageContext({ language, service, baseUrl }: Context): PageContext {
  return { language, theme: service.theme, origin: baseUrl.origin }
}

/** Returns how the pages name the user of a session: an email address distinguishes accounts best. */
export function toUserName({ token }: Session): string {
  return token.email ?? token.name ?? token.sub
}
