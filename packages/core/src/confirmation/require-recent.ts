import type { CurrentSession } from '../api/get-session.ts'
import { getSessionOfRequest } from '../api/get-session.ts'
import { RequestContext } from '../service/request-context.ts'
import type { Context, Service } from '../kernel/context.ts'
import { ConfigurationError } from '../lib/errors.ts'
import type { ErrorCode } from '../ports/error-code.ts'
import type { Authentication } from '../ports/records.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import { getConfirmUrl, getEnrolUrl, getSignInUrl } from '../sign-in/urls.ts'
import type { RecentOptions } from './recent-options.ts'

/** Seconds by which the clocks of the service and of an identity provider may differ (I-51.4). */
export const CLOCK_TOLERANCE = 30

/** What {@link isRecent} compares. */
interface Recency extends Pick<RecentOptions, 'factors'> {
  readonly maxAge: number
  /** Seconds since 1970. */
  readonly now: number
}

/**
 * Returns whether a user has proven who they are within `maxAge`. A time that is unknown (I-50) or in the future,
 * such as milliseconds, is never recent.
 */
export function isRecent(
  { authenticatedAt, methods = [] }: Partial<Authentication> = {},
  { maxAge, factors = 1, now }: Recency,
): boolean {
  if (typeof authenticatedAt !== 'number') return false
  const age = now - authenticatedAt
  // NaN is in no range.
  if (!(age <= maxAge && age >= -CLOCK_TOLERANCE)) return false
  return factors === 1 || methods.includes('mfa')
}

/** Returns the session of a request if it was confirmed recently, else the response to send (I-51.6). */
export async function requireRecent(
  service: Service,
  request: Request,
  options: RecentOptions & { readonly maxAge: number },
): Promise<CurrentSession<unknown> | Response> {
  checkOptions(options)
  const current = await getSessionOfRequest(service, request, {
    renew: options.renew ?? true,
    mayLag: false,
  })
  const { session, headers } = current
  const authentication = current.authentication ?? {}
  const ctx = new RequestContext(service, request, {})
  const refuse = (missing: Missing): Promise<Response> =>
    toResponse(ctx, missing, headers, toChallenge(request, options))
  if (session === null) return refuse(signIn)
  if (isRecent(authentication, { ...options, now: ctx.now })) return current
  // Only the second factor is missing: a user who lacks it cannot confirm it.
  const isHalf = isRecent(authentication, { maxAge: options.maxAge, now: ctx.now })
  return refuse(isHalf && (await canEnrol(ctx)) ? enrol : confirm)
}

/** Why a request is refused, and the page that it leads to. */
interface Missing {
  readonly error: ErrorCode
  readonly getUrl: (ctx: Context, callbackUrl: string) => string
}

const signIn: Missing = { error: 'SessionRequired', getUrl: getSignInUrl }
const confirm: Missing = { error: 'ConfirmationRequired', getUrl: getConfirmUrl }
const enrol: Missing = { error: 'SecondFactorRequired', getUrl: getEnrolUrl }

/** Returns whether the user of a session has no second factor, and can enrol one. */
async function canEnrol(ctx: Context): Promise<boolean> {
  const { storage, capabilities } = ctx.service
  const { proven } = capabilities
  const { session } = await ctx.readSession()
  if (!storage || !proven || !session || session.isUnstored) return false
  return !(await proven.isEnrolled(storage, session.token.sub))
}

function checkOptions({ maxAge, factors = 1 }: RecentOptions & { readonly maxAge: number }): void {
  if (!Number.isInteger(maxAge) || maxAge < 1) {
    throw new ConfigurationError('auth.requireRecent.maxAge', 'must be whole seconds')
  }
  if (factors !== 1 && factors !== 2) {
    throw new ConfigurationError('auth.requireRecent.factors', 'must be 1 or 2')
  }
}

/** Returns what a client with a bearer token is asked for (RFC 9470 §3); undefined without one. */
function toChallenge(
  { headers }: Request,
  { maxAge }: { readonly maxAge: number },
): string | undefined {
  if (!/^bearer /i.test(headers.get('authorization') ?? '')) return undefined
  const error = 'insufficient_user_authentication'
  const description = 'A recent authentication is required'
  return `Bearer error="${error}", error_description="${description}", max_age="${maxAge}"`
}

/** A navigation is led to the page and back; a script gets the page's URL. */
async function toResponse(
  ctx: Context,
  { error, getUrl }: Missing,
  cookies: Headers,
  challenge: string | undefined,
): Promise<Response> {
  const { request, language } = ctx
  const isNavigation = request.method === 'GET' && challenge === undefined && !isScript(request)
  // The host of the request is not the public one behind a proxy.
  const target = request.url.slice(new URL(request.url).origin.length)
  const callbackUrl = await resolveReturnUrl(ctx, isNavigation ? target : undefined)
  const url = getUrl(ctx, callbackUrl)
  const headers = new Headers(cookies)
  headers.set('cache-control', 'private, no-store')
  if (challenge !== undefined) headers.set('www-authenticate', challenge)
  if (!isNavigation) {
    const message = language.messages.errors[error]
    return Response.json({ url, error, message }, { status: 401, headers })
  }
  headers.set('location', url)
  return new Response(null, { status: 302, headers })
}

function isScript({ headers }: Request): boolean {
  const accept = headers.get('accept') ?? ''
  return (
    (accept.includes('application/json') && !accept.includes('text/html')) ||
    headers.get('sec-fetch-dest') === 'empty' ||
    headers.get('x-requested-with') === 'XMLHttpRequest'
  )
}
