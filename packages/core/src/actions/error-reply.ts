import { getOutOfBand } from '../kernel/context.ts'
import type {
  Context,
  Input,
  ProviderInput,
  Route,
  Service,
  TypedFields,
} from '../kernel/context.ts'
import { getErrorRow } from '../lib/errors.ts'
import type { AuthError } from '../lib/errors.ts'
import type { ErrorCode } from '../ports/error-code.ts'
import type { Refusal } from '../http/refusal.ts'
import { json, page, redirect, text, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { renderErrorPage } from '../pages/error.ts'
import type { ErrorView } from '../pages/error.ts'
import { toSentence } from '../pages/messages.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import type { Language } from '../ports/messages.ts'
import { isResend } from '../sign-in/begin-flow.ts'
import { getReturnUrl, toUrl } from '../sign-in/urls.ts'
import { getHeading, replyErrorPage, replyVerifyRequestPage } from './page-replies.ts'

/** The columns of a route that decide how its errors are shown. */
type ErrorRoute = Pick<Route, 'method' | 'speaks' | 'onError'>

/** The input of a route; the provider if its path names one. */
type PostedInput = Input & Partial<Pick<ProviderInput, 'provider'>>

/** Replies to an error (I-6, I-7). Only its code leaves the service. */
export async function toErrorReply(
  ctx: Context,
  route: ErrorRoute,
  input: PostedInput,
  refusal: Refusal,
): Promise<Reply> {
  const { callbackUrl: known } = refusal.options
  const callbackUrl = await (known === undefined
    ? getReturnUrl(ctx, input)
    : resolveReturnUrl(ctx, known))
  const reply = isJsonMode(ctx.request, route, input)
    ? toJsonReply(ctx, refusal, callbackUrl)
    : await toBrowserReply(ctx, route, input, refusal, callbackUrl)
  return withCookies(reply, refusal.options.cookies ?? [])
}

function toJsonReply(ctx: Context, { error, options }: Refusal, callbackUrl: string): Reply {
  const { code, status } = error
  const shown = getErrorRow(code).shown === 'error' ? 'error' : 'signin'
  const url = toRetryUrl(ctx, options.retryUrl, code) ?? toErrorUrl(ctx, shown, code, callbackUrl)
  const message = toMessage(ctx, error, options)
  return json({ url, error: code, message, ...options.details }, status)
}

function toMessage(ctx: Context, error: AuthError, { message }: Refusal['options']): string {
  return message ?? toSentence(ctx.language, error)
}

async function toBrowserReply(
  ctx: Context,
  { onError }: ErrorRoute,
  input: PostedInput,
  { error, options }: Refusal,
  callbackUrl: string,
): Promise<Reply> {
  const { code, status } = error
  const { shown } = getErrorRow(code)
  if (options.show) {
    const message = toMessage(ctx, error, options)
    return options.show({ callbackUrl, error: code, status, message })
  }
  const retryUrl = toRetryUrl(ctx, options.retryUrl, code)
  if (retryUrl !== undefined && shown !== 'here') return redirect(retryUrl)
  // A bad request has no page to return to; a callback's parameters must not stay in the location bar.
  const leadsNowhere = code === 'Default' && onError.leaves !== true
  if (!onError.show || options.showsErrorPage || leadsNowhere) {
    return replyErrorPage(ctx, code, { status, callbackUrl, message: options.message })
  }
  const message = toSentence(ctx.language, error)
  if (input.provider && getOutOfBand(input.provider) && isResend(input) && shown !== 'error') {
    return replyVerifyRequestPage(ctx, input.provider, { error: code, status, message })
  }
  const typed = getTypedFields(error, input)
  // What the user typed is in no URL: the page shows it again, except passwords.
  const isKept = typed !== undefined && isFailedStart(error)
  if (shown !== 'here' && !isKept) return redirect(toErrorUrl(ctx, shown, code, callbackUrl))
  return onError.show(ctx, { callbackUrl, error: code, status, message, typed }, input)
}

/** Returns whether a sign-in could not begin. */
function isFailedStart({ code }: AuthError): boolean {
  return code === 'EmailSignin' || code === 'OAuthSignin' || code === 'CredentialsSignin'
}

/** Returns the fields of a posted form. If its CSRF token was wrong, nothing is shown again. */
function getTypedFields(
  error: AuthError,
  { provider, body }: PostedInput,
): TypedFields | undefined {
  const names = Object.keys(provider?.fields ?? {}).filter((name) => body.fields.has(name))
  if (!provider || names.length === 0 || error.code === 'Csrf') return undefined
  const values = new Map(names.map((name) => [name, body.fields.get(name) ?? '']))
  const isMistake = error.status < 500 && isFailedStart(error)
  return { providerId: provider.id, values, isMistake }
}

function toRetryUrl(
  ctx: Context,
  retryUrl: string | undefined,
  error: ErrorCode,
): string | undefined {
  return retryUrl === undefined ? undefined : toUrl(ctx, retryUrl, { error })
}

/** The page itself is shown by the GET that follows (I-7). */
function toErrorUrl(
  ctx: Context,
  shown: 'signin' | 'error',
  error: ErrorCode,
  callbackUrl: string,
): string {
  const { pages } = ctx.service
  const [own, path] = shown === 'signin' ? [pages.signIn, '/signin'] : [pages.error, '/error']
  // A sign-in leads to the origin by default.
  const target = callbackUrl === ctx.baseUrl.origin ? undefined : callbackUrl
  return toUrl(ctx, own ?? ctx.baseUrl.href + path, { error, callbackUrl: target })
}

/** Replies to an error if the service's own URL is unknown (I-2), or no other page can be made. */
export function errorReplyWithoutOrigin(
  service: Service,
  request: Request,
  route: ErrorRoute,
  { code, status }: AuthError,
): Reply {
  const language = service.negotiate(request.headers.get('accept-language'))
  const message = language.messages.errors[code]
  if (route.speaks === 'json') return json({ error: code, message }, status)
  const heading = getHeading(language.messages, code)
  return page(renderErrorPage({ ...withoutOrigin(service, language), heading, message }), status)
}

/**
 * Replies to a path without a route (I-5): with a page for browsers, with JSON for clients that accept
 * it. The page links by path, as the service's origin may be unknown (I-2).
 */
export function replyNotFound(service: Service, { headers }: Request): Reply {
  const accept = headers.get('accept') ?? ''
  const isPage = accept.includes('text/html')
  if (!isPage && !accept.includes('json')) return text(404, 'Not Found')
  const language = service.negotiate(headers.get('accept-language'))
  const { notFound: heading, notFoundText: message } = language.messages
  if (!isPage) return json({ error: 'Default', message }, 404)
  const signInUrl = `${service.basePath}/signin`
  const view = { ...withoutOrigin(service, language), signInUrl, heading, message }
  return page(renderErrorPage(view), 404)
}

function withoutOrigin(
  { theme }: Service,
  language: Language,
): Pick<ErrorView, 'language' | 'theme' | 'origin' | 'signInUrl'> {
  return { language, theme, origin: '', signInUrl: undefined }
}

/** Returns whether the reply is JSON (I-6, I-44): always for the data routes, by request for a POST and the account. */
export function isJsonMode(
  { headers }: Request,
  route: Pick<ErrorRoute, 'method' | 'speaks'>,
  { body }: Input,
): boolean {
  if (route.speaks === 'json') return true
  if (route.speaks === 'html' && route.method !== 'POST') return false
  // next-auth 5 and Auth.js clients send the header instead of the field (I-44).
  const isAsked = headers.get('x-auth-return-redirect') === '1'
  const isPosted = route.method === 'POST' && isJsonBody(headers)
  return isAsked || isPosted || body.fields.get('json') === 'true' || acceptsJson(headers)
}

/** Returns whether a script has posted: a form of a page cannot post JSON. */
function isJsonBody(headers: Headers): boolean {
  return /^application\/json\b/i.test(headers.get('content-type') ?? '')
}

/** Returns whether the reply to a posted form is JSON, for an action that replies with a page itself. */
export function isJsonForm({ request }: Context, input: Input): boolean {
  return isJsonMode(request, { method: 'POST', speaks: 'html' }, input)
}

/** Returns whether a client asks for JSON in place of a page. */
export function acceptsJson(headers: Headers): boolean {
  const accept = headers.get('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/html')
}
