import { getService } from '../kernel/auth-services.ts'
import { RequestContext } from '../service/request-context.ts'
import type { Context } from '../kernel/context.ts'
import { AuthError, ConfigurationError, toErrorCode } from '../lib/errors.ts'
import type { ErrorCode } from '../ports/error-code.ts'
import { readBody } from '../http/body.ts'
import { toRefusal } from '../http/refusal.ts'
import type { Auth } from './auth.ts'
import { answerInTime } from '../lib/deadline.ts'
import { getCauses } from '../lib/log.ts'
import { toSentence } from '../pages/messages.ts'
import type { HandleOptions } from '../ports/runtime.ts'
import type { SessionToken } from '../session/session-claims.ts'
import { toUrl } from '../sign-in/urls.ts'
import { toCookieHeaders, toHeaders } from '../kernel/response-headers.ts'
import { readMember, readText } from '../lib/members.ts'

/** The CSRF token of a browser, for a form that a page of the application prints. */
export interface CsrfField {
  /** The value of the field `csrfToken`. */
  readonly csrfToken: string
  /** Headers for the response of the page: the cookie, if the token is new. */
  readonly headers: Headers
}

/** What a form action passes on in addition to its request. */
export interface FormOptions extends HandleOptions {
  /** The fields of the form, if the body has been read. Default: they are read from the request */
  readonly form?: FormData | undefined
  /** The URL to continue at. Default: the field `callbackUrl`, else the origin */
  readonly callbackUrl?: string | undefined
}

/** The options of {@link signIn}. */
export interface SignInFormOptions extends FormOptions {
  /** Parameters of the authorization request, such as `login_hint`, if the provider allows them. */
  readonly params?: Readonly<Record<string, string>> | undefined
}

/** The options of {@link updateSession}. */
export interface UpdateFormOptions extends Omit<FormOptions, 'callbackUrl'> {
  /** What `session.update` receives as `data`: a value that JSON can express. */
  readonly data?: unknown
}

/** What every reply to a form action has. */
interface Redirection {
  /** The URL to redirect the browser to, by 303: the next one, or the page that shows the error. */
  readonly url: string
  /** Headers for the response: cookies, and then `Cache-Control: private, no-store`. */
  readonly headers: Headers
}

/** A form action that was refused, or has failed. */
interface FormFailure extends Redirection {
  readonly ok: false
  readonly error: ErrorCode
  /** The sentence for the user, in the language of the browser. */
  readonly message: string
  /** The HTTP status of the error. */
  readonly status: number
}

/** The reply to a form action. Its cookies and its URL belong in the response. */
export type FormReply = (Redirection & { readonly ok: true }) | FormFailure

/** The reply to {@link updateSession}. */
export type UpdateReply<Session> =
  { readonly ok: true; readonly session: Session | null; readonly headers: Headers } | FormFailure

/**
 * Returns the CSRF token of a browser, for a form of the application that posts to `/signin/:provider` or
 * `/signout`, or to a form action that calls {@link signIn}. It is a read: `headers` set a cookie
 * only if the browser has no valid one.
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { getCsrfToken } from '@latchkey/core/forms'
 *
 *   declare const auth: Auth
 *   async function showSignOut(request: Request): Promise<Response> {
 *     const { csrfToken, headers } = await getCsrfToken(auth, request)
 *     headers.set('content-type', 'text/html; charset=utf-8')
 *     const field = `<input type="hidden" name="csrfToken" value="${csrfToken}">`
 *     const form = `<form method="post" action="${auth.basePath}/signout">${field}<button>Sign out</button></form>`
 *     return new Response(form, { headers })
 *   }
 *
 * @throws AuthError `Configuration` if the request's origin is not trusted, `Unavailable` if the storage
 *   fails
 * @throws ConfigurationError if `auth` is not what `createAuth` returned
 */
export async function getCsrfToken<Session, Token extends SessionToken>(
  auth: Auth<Session, Token>,
  request: Request,
): Promise<CsrfField> {
  const service = getService(auth, 'getCsrfToken')
  const ctx = new RequestContext(service, request, {})
  const { token, cookies } = await answerInTime(service, ctx.getCsrfToken())
  return { csrfToken: token, headers: toHeaders(ctx, cookies) }
}

/**
 * Starts a sign-in for a form action: a POST to a URL of the application, which a framework answers, by a
 * form without JavaScript. It makes the checks of cross-site requests in their strict form: `Origin` must be
 * present and
 * the service's own, also for trusted origins, and the form has the field `csrfToken` of
 * {@link getCsrfToken}. Accounts cannot be linked: post such a form to the route.
 *
 * @param request The request of the form action
 * @param provider The id of a provider. Of the form only its fields are passed on
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { signIn } from '@latchkey/core/forms'
 *
 *   declare const auth: Auth
 *   async function action(request: Request): Promise<Response> {
 *     const { url, headers } = await signIn(auth, request, 'github', { callbackUrl: '/account' })
 *     headers.set('location', url)
 *     return new Response(null, { status: 303, headers })
 *   }
 *
 * @throws AuthError `Configuration` if the request's origin is not trusted
 * @throws ConfigurationError if there is no such provider, or `auth` is not what `createAuth` returned
 */
export async function signIn<Session, Token extends SessionToken>(
  auth: Auth<Session, Token>,
  request: Request,
  provider: string,
  { params, ...options }: SignInFormOptions = {},
): Promise<FormReply> {
  const known = getService(auth, 'signIn').providers.get(provider)
  if (!known) throw new ConfigurationError('signIn', `no provider is "${provider}"`)
  const answer = await post(auth, request, options, {
    route: '/signin/:provider',
    path: `/signin/${known.id}?${new URLSearchParams(params)}`,
    names: Object.keys(known.fields ?? {}),
  })
  return toFormReply(answer)
}

/**
 * Ends the session for a form action, with the checks of {@link signIn}.
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { signOut } from '@latchkey/core/forms'
 *
 *   declare const auth: Auth
 *   async function action(request: Request): Promise<Response> {
 *     const { url, headers } = await signOut(auth, request)
 *     headers.set('location', url)
 *     return new Response(null, { status: 303, headers })
 *   }
 *
 * @throws AuthError `Configuration` if the request's origin is not trusted
 * @throws ConfigurationError if `auth` is not what `createAuth` returned
 */
export async function signOut<Session, Token extends SessionToken>(
  auth: Auth<Session, Token>,
  request: Request,
  options: FormOptions = {},
): Promise<FormReply> {
  const path = '/signout'
  return toFormReply(await post(auth, request, options, { route: path, path, names: [] }))
}

/**
 * Passes `data` to the service's `session.update` for a form action, with the checks of {@link signIn}.
 * Without a session nothing is updated, and `session` is null.
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { updateSession } from '@latchkey/core/forms'
 *
 *   declare const auth: Auth
 *   async function action(request: Request): Promise<Response> {
 *     const form = await request.formData()
 *     const data = { theme: form.get('theme') }
 *     const { headers } = await updateSession(auth, request, { form, data })
 *     headers.set('location', '/settings')
 *     return new Response(null, { status: 303, headers })
 *   }
 *
 * @throws AuthError `Configuration` if the request's origin is not trusted
 * @throws ConfigurationError if `auth` is not what `createAuth` returned
 */
export async function updateSession<Session, Token extends SessionToken>(
  auth: Auth<Session, Token>,
  request: Request,
  options?: UpdateFormOptions,
): Promise<UpdateReply<Session>>
export async function updateSession(
  auth: Pick<Auth, 'handle'>,
  request: Request,
  { data = null, ...options }: UpdateFormOptions = {},
): Promise<UpdateReply<unknown>> {
  const path = '/session'
  const answer = await post(auth, request, options, { route: path, path, names: [], data })
  if (!answer.ok) return answer
  const { body, headers } = answer
  const { emptySession } = getService(auth, 'updateSession')
  const isEmpty = JSON.stringify(body) === JSON.stringify(emptySession)
  return { ok: true, session: isEmpty ? null : body, headers }
}

/** The POST that a form action makes to a route. */
interface RoutePost {
  /** The route's path in the table. */
  readonly route: string
  /** The path and query of the request. */
  readonly path: string
  /** The fields that are passed on in addition to the fields of the protocol. */
  readonly names: readonly string[]
  /** The member `data` of a JSON body; undefined posts a form. */
  readonly data?: unknown
}

/** The JSON of a route that has succeeded, and the cookies that it sets. */
type Answer = { readonly ok: true; readonly body: unknown; readonly headers: Headers } | FormFailure

/** Posts to a route instead of the form action, so that the gates of the route make their checks. */
async function post(
  auth: Pick<Auth, 'handle'>,
  request: Request,
  options: FormOptions,
  target: RoutePost,
): Promise<Answer> {
  const service = getService(auth, 'auth')
  const ctx = new RequestContext(service, request, options)
  try {
    checkOwnForm(ctx)
    const fields = await readFields(ctx, options, target.names)
    return await readAnswer(ctx, await auth.handle(createPost(ctx, target, fields), options))
  } catch (thrown) {
    const { error } = toRefusal(thrown)
    const details = { error: error.code, method: 'POST', route: target.route }
    service.log.warn(error.message, { ...details, causes: getCauses(error.cause) })
    return toFailure(ctx, error)
  }
}

/** The first check of I-17 in its strict form: a framework may answer a request that no gate has seen. */
function checkOwnForm({ request: { method, headers }, baseUrl }: Context): void {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site') ?? 'same-origin'
  if (method === 'POST' && origin === baseUrl.origin && site === 'same-origin') return
  const found = `${method} ${site} from ${origin ?? 'an unknown origin'}`
  const message = `a form action must be a same-origin POST from ${baseUrl.origin}, found a ${found}`
  throw new AuthError('Csrf', message)
}

/** Fields that act on an account: only a form that posts to the route may have them. */
const refusedFields = ['link', 'confirm', 'second']

async function readFields(
  ctx: Context,
  { form, callbackUrl }: FormOptions,
  names: readonly string[],
): Promise<URLSearchParams> {
  const given = form ? toTexts(form) : await readPosted(ctx, names)
  const refused = refusedFields.find((name) => given.has(name))
  if (refused !== undefined) throw badForm(`a form action must not have the field ${refused}`)
  const passed = ['csrfToken', 'callbackUrl', ...names]
  const fields = [...given].filter(([name]) => passed.includes(name))
  const all = new URLSearchParams(fields)
  if (callbackUrl !== undefined) all.set('callbackUrl', callbackUrl)
  return all
}

/** Files are left out: no field of a route is one. */
function toTexts(form: FormData): URLSearchParams {
  const texts = new URLSearchParams()
  for (const [name, value] of form) if (typeof value === 'string') texts.append(name, value)
  return texts
}

async function readPosted(
  { request, service }: Context,
  names: readonly string[],
): Promise<URLSearchParams> {
  const type = 'application/x-www-form-urlencoded'
  const { fields } = await readBody(service, request, [type], names)
  return new URLSearchParams([...fields])
}

function createPost(ctx: Context, { path, data }: RoutePost, fields: URLSearchParams): Request {
  const headers = new Headers(ctx.request.headers)
  for (const name of ['content-length', 'content-type', 'transfer-encoding']) headers.delete(name)
  headers.set('accept', 'application/json')
  const body = data === undefined ? fields : toJson(fields, data)
  if (data !== undefined) headers.set('content-type', 'application/json')
  return new Request(ctx.baseUrl.href + path, { method: 'POST', headers, body })
}

function toJson(fields: URLSearchParams, data: unknown): string {
  // JSON has no second value of a member.
  if (fields.getAll('csrfToken').length > 1) throw badForm('the field csrfToken is given twice')
  return JSON.stringify({ csrfToken: fields.get('csrfToken'), data })
}

async function readAnswer(ctx: Context, response: Response): Promise<Answer> {
  const cookies = response.headers.getSetCookie()
  const headers = toCookieHeaders(cookies)
  // A reply that no page could be made for is HTML.
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const body: unknown = isJson ? await response.json() : undefined
  if (response.ok) return { ok: true, body, headers }
  const code = toErrorCode(readText(body, 'error') ?? 'Unavailable')
  const [message, url] = [readText(body, 'message'), readText(body, 'url')]
  const failure = toFailure(ctx, new AuthError(code, '', { status: response.status }))
  return { ...failure, ...(message && { message }), ...(url && { url }), headers }
}

function toFailure(ctx: Context, error: AuthError): FormFailure {
  const { code, status } = error
  const url = toUrl(ctx, ctx.service.pages.error ?? `${ctx.baseUrl.href}/error`, { error: code })
  const message = toSentence(ctx.language, error)
  return { ok: false, error: code, message, status, url, headers: new Headers() }
}

function toFormReply(answer: Answer): FormReply {
  if (!answer.ok) return answer
  return { ok: true, url: String(readMember(answer.body, 'url')), headers: answer.headers }
}

function badForm(message: string): AuthError {
  return new AuthError('Default', message, { status: 400 })
}
