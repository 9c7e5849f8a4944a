import type { Service } from './config.ts'
import { Context } from './context.ts'
import { AuthError, errorRow } from './errors.ts'
import { readForm } from './form.ts'
import { causesOf } from './log.ts'
import { errorPage } from './pages/error.ts'
import { errorText } from './pages/messages.ts'
import type { RequestExtras } from './ports.ts'
import { json, page, redirect, respond, text } from './reply.ts'
import type { Reply, ReplyContext } from './reply.ts'
import { matchRoute } from './routes.ts'
import type { Match, Route } from './routes.ts'
import { errorAddress, viewError, viewSignIn, viewSignOut } from './views.ts'

/** Answers a request to the service. Whatever happens, it resolves with a response. */
export type Handle = (request: Request, extras?: RequestExtras) => Promise<Response>

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
      log(service, route, error)
      const refused = ctx && (await refuse(ctx, route, error))
      return refused ?? respond(homeless(service, request, route, error), bare(head, service))
    }
  }
}

/** The refusal as a response; undefined where not even that can be made, as when random numbers fail. */
async function refuse(ctx: Context, route: Route, error: AuthError): Promise<Response | undefined> {
  try {
    return respond(await refusal(ctx, route, error), replyContext(ctx, route))
  } catch (thrown) {
    log(ctx.service, route, known(thrown))
    return undefined
  }
}

async function perform(ctx: Context, route: Route, providerId: string | undefined): Promise<Reply> {
  if (providerId !== undefined) {
    const provider = ctx.service.providers.get(providerId)
    if (!provider) return unmatched(undefined)
    ctx.provider = provider
  }
  if (route.accepts.length > 0) ctx.form = await readForm(ctx.request, route.accepts)
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

/** What an error becomes (I-6, I-7): the code is public, everything else stays here. */
async function refusal(ctx: Context, route: Route, error: AuthError): Promise<Reply> {
  const { code, status } = error
  const { shown } = errorRow(code)
  const callbackUrl =
    ctx.callbackUrl ?? (await ctx.returnAddress(ctx.form.fields.get('callbackUrl')))
  if (speaksJson(ctx, route)) {
    const url = errorAddress(ctx, shown === 'error' ? 'error' : 'signin', code, callbackUrl)
    return json({ url, error: code, message: errorText(ctx.language.messages, code) }, status)
  }
  if (shown === 'here') return again(ctx, route, error, callbackUrl)
  // A page that cannot be shown must not lead back to itself, and a bad request leads nowhere.
  const isPage = ctx.request.method !== 'POST' && route.path !== '/callback/:provider'
  if (isPage || code === 'Default') return viewError(ctx, code, status)
  return redirect(errorAddress(ctx, shown, code, callbackUrl))
}

/** The page that was posted, once more: with a fresh token and a plain sentence. */
function again(ctx: Context, route: Route, error: AuthError, callbackUrl: string): Promise<Reply> {
  const shown = { callbackUrl, error: error.code, status: error.status }
  if (route.path === '/signout') return viewSignOut(ctx, shown)
  return viewSignIn(ctx, [...ctx.service.providers.values()], shown)
}

/** A refusal where even the service's own address is unknown (I-2). */
function homeless(
  service: Service,
  request: Request,
  route: Route,
  { code, status }: AuthError,
): Reply {
  const language = service.negotiate(request.headers.get('accept-language'))
  if (route.speaks === 'json') {
    return json({ error: code, message: errorText(language.messages, code) }, status)
  }
  const { style } = service
  return page(errorPage({ language, style, origin: '', signInUrl: undefined, error: code }), status)
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

/** JSON mode (I-6) is for POST; the three data routes know nothing else. */
function speaksJson(ctx: Context, route: Route): boolean {
  if (route.speaks === 'json') return true
  if (route.method !== 'POST') return false
  if (ctx.form.fields.get('json') === 'true') return true
  const accept = ctx.request.headers.get('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/html')
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
    causes: causesOf(error.cause),
  })
}
