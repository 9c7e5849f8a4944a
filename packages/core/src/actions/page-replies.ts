import type { Context, Input, ProviderInput } from '../context.ts'
import { toErrorCode } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { getCallbackUrl } from '../http/base-url.ts'
import { page, redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { renderConfirmPage } from '../pages/confirm.ts'
import { renderErrorPage } from '../pages/error.ts'
import type { PageContext } from '../pages/layout.ts'
import { renderSignInPage } from '../pages/signin.ts'
import type { TypedFields } from '../pages/signin.ts'
import { renderSignOutPage } from '../pages/signout.ts'
import { renderVerifyRequestPage } from '../pages/verify-request.ts'
import type { Provider } from '../ports/provider.ts'
import { findPendingFlow } from '../sign-in/flow.ts'
import { toUrl } from '../sign-in/urls.ts'

/** What the sign-in and sign-out pages show besides their forms. */
interface PageOptions {
  readonly callbackUrl: string
  readonly error?: ErrorCode | undefined
  readonly status?: number
}

/** What the sign-in page shows after a form was posted. */
interface SignInPageOptions extends PageOptions {
  /** Default: the sentence of `error` */
  readonly message?: string
  readonly typed?: TypedFields | undefined
}

/** Replies with the sign-in page for some providers, or redirects to `pages.signIn`. */
export async function replySignInPage(
  ctx: Context,
  providers: readonly Provider[],
  { callbackUrl, error, status, message, typed }: SignInPageOptions,
): Promise<Reply> {
  const { signIn } = ctx.service.pages
  if (signIn !== undefined) return redirect(toUrl(ctx, signIn, { callbackUrl, error }))
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const base = ctx.baseUrl.href
  const sentence = message ?? (error && ctx.language.messages.errors[error])
  const form = { base, providers, csrfToken, callbackUrl, message: sentence, typed }
  const view = { ...toPageContext(ctx), ...form }
  return withCookies(page(renderSignInPage(view), status), cookies)
}

/** Replies with the sign-out page, or redirects to `pages.signOut`. */
export async function replySignOutPage(
  ctx: Context,
  { callbackUrl, error, status }: PageOptions,
): Promise<Reply> {
  const { signOut } = ctx.service.pages
  if (signOut !== undefined) return redirect(toUrl(ctx, signOut, { callbackUrl, error }))
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const base = ctx.baseUrl.href
  const view = { ...toPageContext(ctx), base, csrfToken, callbackUrl, error }
  return withCookies(page(renderSignOutPage(view), status), cookies)
}

/**
 * Replies with the page "Check your email", or redirects to `pages.verifyRequest`. In the browser
 * that asked, the page names the email address, and takes a code if there is one (I-31).
 */
export async function replyVerifyRequestPage(ctx: Context, { query }: Input): Promise<Reply> {
  const { verifyRequest } = ctx.service.pages
  const error = getErrorCode(query)
  if (verifyRequest !== undefined) return redirect(toUrl(ctx, verifyRequest, { error }))
  const provider = ctx.service.providers.get(query.get('provider') ?? '')
  const flow = provider?.outOfBand && (await findPendingFlow(ctx, provider.id))
  if (!provider?.outOfBand || !flow) {
    return page(renderVerifyRequestPage({ ...toPageContext(ctx), error, waiting: undefined }))
  }
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const action = getCallbackUrl(ctx.baseUrl, provider)
  const waiting = { ...provider.outOfBand.describePending(flow.state), action, csrfToken }
  return withCookies(
    page(renderVerifyRequestPage({ ...toPageContext(ctx), error, waiting })),
    cookies,
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

/** Replies with the error page. */
export function replyErrorPage(
  ctx: Context,
  error: ErrorCode,
  status: number,
  message: string = ctx.language.messages.errors[error],
): Reply {
  const signInUrl = `${ctx.baseUrl.href}/signin`
  return page(renderErrorPage({ ...toPageContext(ctx), signInUrl, message }), status)
}

/** Returns the error code of a query; an unknown one counts as `Default` (I-8). */
export function getErrorCode(query: Input['query']): ErrorCode | undefined {
  const error = query.get('error')
  return error === undefined ? undefined : toErrorCode(error)
}

function toPageContext({ language, service, baseUrl }: Context): PageContext {
  return { language, style: service.style, origin: baseUrl.origin }
}
