import {
  errorReplyWithoutOrigin,
  isJsonMode,
  replyNotFound,
  toErrorReply,
} from './actions/error-reply.ts'
import { Context } from './context.ts'
import type { Input, ProviderInput } from './context.ts'
import type { AuthError } from './errors.ts'
import { emptyBody, readBody } from './http/body.ts'
import { readQuery } from './http/query.ts'
import { toRefusal } from './http/refusal.ts'
import { text, toResponse, withCookies } from './http/reply.ts'
import type { Reply } from './http/reply.ts'
import { toSetCookieLines } from './http/set-cookie.ts'
import { answerInTime } from './lib/deadline.ts'
import { getCauses } from './lib/log.ts'
import type { Provider } from './ports/provider.ts'
import type { HandleOptions } from './ports/runtime.ts'
import { getRoute, matchRoute } from './routes.ts'
import type { Match, Route } from './routes.ts'
import type { Service } from './service.ts'
import { settleSession } from './session/current-session.ts'

/** Answers a request to the service. It never rejects. */
export type Handle = (request: Request, options?: HandleOptions) => Promise<Response>

/** Creates the function that takes a request through its stages: match, body, gates, action, reply. */
export function createHandle(service: Service): Handle {
  return async (request, options = {}) => {
    const isHead = request.method === 'HEAD'
    const match = matchRoute(request.url, service.basePath)
    const route = match && getRoute(match, request.method)
    if (!route) return toBareResponse(toUnmatchedReply(service, request, match), isHead, service)
    const provider = service.providers.get(match.providerId ?? '')
    if (match.providerId !== undefined && !provider) {
      return toBareResponse(replyNotFound(service, request), isHead, service)
    }
    try {
      const ctx = new Context(service, request, options)
      return await answerInTime(handleRoute(ctx, route, provider), service.timeouts.answer)
    } catch (thrown) {
      const { error } = toRefusal(thrown)
      logError(service, route, error, provider)
      const reply = errorReplyWithoutOrigin(service, request, route, error)
      return toBareResponse(reply, isHead, service)
    }
  }
}

async function handleRoute(
  ctx: Context,
  route: Route,
  provider: Provider | undefined,
): Promise<Response> {
  let input: Input = { query: readQuery(ctx.request.url), body: emptyBody }
  try {
    input = await readInput(ctx, route, input, provider)
    const reply = await perform(ctx, route, input as ProviderInput)
    const settled = await settleSession(ctx, reply.cookies)
    return await write(ctx, route, input, withCookies(reply, settled))
  } catch (thrown) {
    return refuse(ctx, { route, input, provider }, thrown)
  }
}

async function readInput(
  { request, service }: Context,
  { accepts }: Route,
  { query, body }: Input,
  provider: Provider | undefined,
): Promise<Input> {
  if (accepts.length === 0) return { query, body, ...(provider && { provider }) }
  const ownFields = Object.keys(provider?.fields ?? {})
  const read = await readBody(request, accepts, service.timeouts.request, ownFields)
  return { query, body: read, ...(provider && { provider }) }
}

async function perform(ctx: Context, route: Route, input: ProviderInput): Promise<Reply> {
  for (const gate of route.gates) {
    const reply = await gate(ctx, input)
    if (reply) return reply
  }
  return route.action(ctx, input)
}

/** A request that is refused. */
interface RefusedRequest {
  readonly route: Route
  readonly input: Input
  readonly provider: Provider | undefined
}

/** Logs an error and replies with it. If no page can be made, as when the storage fails, the bare page says so. */
async function refuse(
  ctx: Context,
  { route, input, provider }: RefusedRequest,
  thrown: unknown,
): Promise<Response> {
  const refusal = toRefusal(thrown)
  logError(ctx.service, route, refusal.error, provider)
  try {
    const reply = await toErrorReply(ctx, route, input, refusal)
    return await write(ctx, route, input, reply, refusal.error.retryAfter)
  } catch (further) {
    const { error } = toRefusal(further)
    const isOther = error.message !== refusal.error.message
    if (isOther) logError(ctx.service, route, error, provider)
    const reply = errorReplyWithoutOrigin(ctx.service, ctx.request, route, refusal.error)
    return toBareResponse(reply, ctx.isHead, ctx.service)
  }
}

function write(
  ctx: Context,
  route: Route,
  input: Input,
  reply: Reply,
  retryAfter?: number,
): Promise<Response> {
  return toResponse(reply, {
    cookies: toSetCookieLines(ctx.cookies, reply.cookies),
    isHead: ctx.isHead,
    isJson: isJsonMode(ctx.request, route, input),
    policy: () => ctx.service.policy(ctx.baseUrl.origin),
    retryAfter,
  })
}

function toBareResponse(reply: Reply, isHead: boolean, service?: Service): Promise<Response> {
  const policy = async (): Promise<string> => service?.policy('https:') ?? ''
  return toResponse(reply, { cookies: [], isHead, isJson: false, policy })
}

/** Replies 404 for a path that is not in the table, 405 for a method that its rows do not have (I-5). */
function toUnmatchedReply(service: Service, request: Request, match: Match | undefined): Reply {
  if (!match) return replyNotFound(service, request)
  const methods = new Set(match.rows.keys())
  if (methods.has('GET')) methods.add('HEAD')
  return text(405, 'Method Not Allowed', { allow: [...methods].toSorted().join(', ') })
}

function logError(
  { log }: Service,
  route: Route,
  error: AuthError,
  provider: Provider | undefined,
): void {
  const level = error.status >= 500 ? 'error' : error.code === 'Cancelled' ? 'debug' : 'warn'
  log[level](error.message, {
    error: error.code,
    ...(provider && { provider: provider.id }),
    method: route.method,
    route: route.path,
    causes: getCauses(error.cause),
  })
}
