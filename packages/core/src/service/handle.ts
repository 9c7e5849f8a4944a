import { getCarried } from '../kernel/context.ts'
import {
  errorReplyWithoutOrigin,
  isJsonMode,
  replyNotFound,
  toErrorReply,
} from '../actions/error-reply.ts'
import { RequestContext } from './request-context.ts'
import type { Context, Input, ProviderInput, Route, Service } from '../kernel/context.ts'
import type { AuthError } from '../lib/errors.ts'
import { emptyBody, readBody } from '../http/body.ts'
import { readQuery } from '../http/query.ts'
import { toRefusal } from '../http/refusal.ts'
import { createOriginWarning } from '../http/refused-origins.ts'
import { text, toResponse, withCookies } from '../http/reply.ts'
import type { Reply, ReplyHeaders } from '../http/reply.ts'
import { writeCookies } from '../http/fit-cookies.ts'
import { getOriginHeaders, getPreflightHeaders } from '../http/trusted-origins.ts'
import { answerInTime } from '../lib/deadline.ts'
import { getCauses } from '../lib/log.ts'
import type { Provider } from '../ports/provider.ts'
import type { HandleOptions } from '../ports/runtime.ts'
import { findProvider, getRoute, guessBasePath, matchRoute } from './routes.ts'
import type { Match } from './routes.ts'
import { settleSession } from '../session/current-session.ts'

/** Answers a request to the service. It never rejects. */
export type Handle = (request: Request, options?: HandleOptions) => Promise<Response>

/** A row of the table, and the provider that the path names. */
interface CalledRoute {
  readonly route: Route
  readonly provider: Provider | undefined
}

/** Creates the function that takes a request through its stages: match, body, gates, action, reply. */
export function createHandle(service: Service): Handle {
  const warnOfBasePath = createBasePathWarning(service)
  const warnOfOrigin = createOriginWarning()
  return async (request, options = {}) => {
    const isHead = request.method === 'HEAD'
    const match = matchRoute(service, request.url)
    const provider = match && findProvider(service, match, request.method)
    if (!match || (match.providerId !== undefined && !provider)) {
      if (!match) warnOfBasePath(request.url)
      return toBareResponse(replyNotFound(service, request), { isHead, service })
    }
    const route = getRoute(match, request.method)
    if (!route) {
      const preflight = readPreflight(service, request, provider, match)
      return replyToPreflight(preflight) ?? replyMethodNotAllowed(match, preflight, isHead)
    }
    const called = { route, provider }
    try {
      const ctx = new RequestContext(service, request, options)
      if (route.method === 'GET' && route.origins === 'trusted') warnOfOrigin(ctx, route.path)
      return await answerInTime(service, handleRoute(ctx, called))
    } catch (thrown) {
      const { error } = toRefusal(thrown)
      logError(service, called, error)
      return toBareErrorResponse(service, request, called, error)
    }
  }
}

/** Creates the function that warns, once, of a request that has another base path than the service. */
function createBasePathWarning({ basePath, log }: Service): (url: string) => void {
  let hasWarned = false
  return (url) => {
    const found = hasWarned ? undefined : guessBasePath(url)
    if (found === undefined || found === basePath) return
    hasWarned = true
    const advice = 'change the path of serviceUrl, or of the client'
    log.warn(
      `not found below ${found.slice(0, 99) || '/'}: the base path is ${basePath}: ${advice}`,
      {},
    )
  }
}

async function handleRoute(ctx: Context, called: CalledRoute): Promise<Response> {
  let input: Input = { query: readQuery(ctx.request.url), body: emptyBody }
  try {
    input = await readInput(ctx, called, input)
    const reply = await perform(ctx, called.route, input as ProviderInput)
    const settled = await settleSession(ctx, reply)
    return await write(ctx, called, input, withCookies(reply, settled))
  } catch (thrown) {
    return await toErrorResponse(ctx, called, input, thrown)
  } finally {
    ctx.service.outbox?.deliverSoon(ctx)
  }
}

async function readInput(
  { request, service }: Context,
  { route: { accepts }, provider }: CalledRoute,
  { query, body }: Input,
): Promise<Input> {
  const ownFields = Object.keys(provider?.fields ?? {})
  if (provider) ownFields.push(...(getCarried(provider)?.answers?.fields ?? []))
  ownFields.push(...service.capabilities.fields)
  const hasBody = accepts.length > 0
  const read = hasBody ? await readBody(service, request, accepts, ownFields) : body
  return { query, body: read, ...(provider && { provider }) }
}

async function perform(ctx: Context, route: Route, input: ProviderInput): Promise<Reply> {
  for (const gate of route.gates) {
    const reply = await gate(ctx, input)
    if (reply) return reply
  }
  return route.action(ctx, input)
}

/** Logs an error and replies with it. If no page can be made, as when the storage fails, the bare page says so. */
async function toErrorResponse(
  ctx: Context,
  called: CalledRoute,
  input: Input,
  thrown: unknown,
): Promise<Response> {
  const { service, request } = ctx
  const refusal = toRefusal(thrown)
  logError(service, called, refusal.error)
  try {
    const reply = await toErrorReply(ctx, called.route, input, refusal)
    return await write(ctx, called, input, reply, refusal.error.retryAfter)
  } catch (further) {
    const { error } = toRefusal(further)
    const isOther = error.message !== refusal.error.message
    if (isOther) logError(service, called, error)
    return toBareErrorResponse(service, request, called, refusal.error)
  }
}

function write(
  ctx: Context,
  called: CalledRoute,
  input: Input,
  reply: Reply,
  retryAfter?: number,
): Promise<Response> {
  return toResponse(reply, {
    cookies: writeCookies(ctx, reply.cookies),
    isHead: ctx.isHead,
    isJson: isJsonMode(ctx.request, called.route, input),
    policy: (html, formTarget) => ctx.service.policy(ctx.baseUrl.origin, html, formTarget),
    retryAfter,
    origins: getOriginHeaders(ctx.service, ctx.request, called),
  })
}

/** Replies to an error without a context, or if no other page can be made. */
function toBareErrorResponse(
  service: Service,
  request: Request,
  called: CalledRoute,
  error: AuthError,
): Promise<Response> {
  const reply = errorReplyWithoutOrigin(service, request, called.route, error)
  const origins = getOriginHeaders(service, request, called)
  return toBareResponse(reply, { isHead: request.method === 'HEAD', service, origins })
}

/** What a response without a context is made of. */
interface BareParts {
  readonly isHead: boolean
  readonly service?: Service
  readonly origins?: ReplyHeaders
}

function toBareResponse(
  reply: Reply,
  { isHead, service, origins = {} }: BareParts,
): Promise<Response> {
  const policy = async (): Promise<string> => service?.policy('https:') ?? ''
  return toResponse(reply, { cookies: [], isHead, isJson: false, policy, origins })
}

/** What a preflight asks for: the methods that trusted origins may use on a path (I-42). */
interface Preflight {
  readonly methods: readonly string[]
  readonly origins: ReplyHeaders
}

function readPreflight(
  service: Service,
  request: Request,
  provider: Provider | undefined,
  { rows }: Match,
): Preflight {
  const isPreflight =
    request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
  const asked = [...(isPreflight ? rows.values() : [])].map((route) => {
    const origins = getOriginHeaders(service, request, { route, provider })
    return { method: route.method, origins }
  })
  const open = asked.filter(({ origins }) => 'vary' in origins)
  return { methods: open.map(({ method }) => method), origins: open[0]?.origins ?? {} }
}

/** Replies to a preflight; undefined if its origin is not trusted. */
function replyToPreflight({ methods, origins }: Preflight): Promise<Response> | undefined {
  if (!('access-control-allow-origin' in origins)) return undefined
  return toBareResponse(text(204, '', getPreflightHeaders(methods)), { isHead: false, origins })
}

/** Replies 405 to a method that the path does not have (I-5). */
function replyMethodNotAllowed(
  { rows }: Match,
  { origins }: Preflight,
  isHead: boolean,
): Promise<Response> {
  const methods = new Set(rows.keys())
  if (methods.has('GET')) methods.add('HEAD')
  const allow = [...methods].toSorted().join(', ')
  return toBareResponse(text(405, 'Method Not Allowed', { allow }), { isHead, origins })
}

function logError({ log }: Service, { route, provider }: CalledRoute, error: AuthError): void {
  const level = error.status >= 500 ? 'error' : error.code === 'Cancelled' ? 'debug' : 'warn'
  log[level](error.message, {
    error: error.code,
    ...(provider && { provider: provider.id }),
    method: route.method,
    route: route.path,
    causes: getCauses(error.cause),
  })
}
