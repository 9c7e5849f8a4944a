import type { Service } from './service.ts'
import { Context } from './context.ts'
import { AuthError } from './errors.ts'
import { readForm } from './http/body.ts'
import { undoAdoption } from './session/import-session.ts'
import { getCauses } from './lib/log.ts'
import type { HandleOptions } from './ports/runtime.ts'
import { homeless, refusal, speaksJson } from './actions/error-reply.ts'
import { respond, text } from './http/reply.ts'
import type { Reply, ReplyContext } from './http/reply.ts'
import { matchRoute } from './routes.ts'
import type { Match, Route } from './routes.ts'

/** Answers a request to the service. Whatever happens, it resolves with a response. */
export type Handle = (request: Request, extras?: HandleOptions) => Promise<Response>

/** The one way through: match, context, gates, action, reply; and the one catch. */
export function createHandle(service: Service): Handle {
  return async (request, extras = {}) => {
    const head = request.method === 'HEAD'
    const match = matchRoute(request.url, service.basePath)
    const route = match && routeOf(match, request.method)
    if (!route) return respond(unmatched(match), bare(head))
    let ctx: Context | undefined
    try {
      ctx = new Context(service, request, extras)
      const reply = await perform(ctx, route, match.providerId)
      return respond(reply, replyContext(ctx, route))
    } catch (thrown) {
      const error = known(thrown)
      const refused = ctx && (await refuse(ctx, route, error))
      log(service, route, error)
      return refused ?? respond(homeless(service, request, route, error), bare(head, service))
    }
  }
}

/** The refusal as a response; undefined where not even that can be made, as when random numbers fail. */
async function refuse(ctx: Context, route: Route, error: AuthError): Promise<Response | undefined> {
  try {
    // A refusal neither begins nor changes a session.
    ctx.jar.forget(ctx.site.cookies.session)
    await undoAdoption(ctx)
    return respond(await refusal(ctx, route, error), {
      ...replyContext(ctx, route),
      retryAfter: error.retryAfter,
    })
  } catch (thrown) {
    const further = known(thrown)
    if (further.message !== error.message) log(ctx.service, route, further)
    return undefined
  }
}

async function perform(ctx: Context, route: Route, providerId: string | undefined): Promise<Reply> {
  if (providerId !== undefined) {
    const provider = ctx.service.providers.get(providerId)
    if (!provider) return unmatched(undefined)
    ctx.provider = provider
  }
  if (route.accepts.length > 0) {
    const { timeouts } = ctx.service
    const ownFields = providerId === undefined ? [] : Object.keys(ctx.provider.fields ?? {})
    ctx.form = await readForm(ctx.request, route.accepts, timeouts.request, ownFields)
  }
  for (const gate of route.gates) {
    const reply = await gate(ctx)
    if (reply) return reply
  }
  return route.action(ctx)
}

function routeOf(match: Match, method: string): Route | undefined {
  return match.rows.get(method) ?? (method === 'HEAD' ? match.rows.get('GET') : undefined)
}

/** 404 for a path that is not in the table, 405 for a method that its rows do not have (I-5). */
function unmatched(match: Match | undefined): Reply {
  if (!match) return text(404, 'Not Found')
  const methods = new Set(match.rows.keys())
  if (methods.has('GET')) methods.add('HEAD')
  return text(405, 'Method Not Allowed', [['allow', [...methods].toSorted().join(', ')]])
}

function replyContext(ctx: Context, route: Route): ReplyContext {
  return {
    cookies: ctx.jar.lines(),
    head: ctx.readOnly,
    json: speaksJson(ctx, route),
    policy: () => ctx.service.policy(ctx.site.origin),
  }
}

function bare(head: boolean, service?: Service): ReplyContext {
  return { cookies: [], head, json: false, policy: () => service?.policy('https:') ?? '' }
}

/** What nobody has foreseen is our own fault, and says so in its status. */
function known(thrown: unknown): AuthError {
  if (thrown instanceof AuthError) return thrown
  return new AuthError('Default', 'an unexpected error', { cause: thrown, status: 500 })
}

function log({ log: logger }: Service, route: Route, error: AuthError): void {
  const level = error.status >= 500 ? 'error' : error.code === 'Cancelled' ? 'debug' : 'warn'
  logger[level](error.message, {
    error: error.code,
    method: route.method,
    route: route.path,
    causes: getCauses(error.cause),
  })
}
