import type { Service } from '../service.ts'
import type { Context } from '../context.ts'
import { errorRow } from '../errors.ts'
import type { AuthError } from '../errors.ts'
import { foreignOrigin } from '../gates.ts'
import { errorPage } from '../pages/error.ts'
import { errorText } from '../pages/messages.ts'
import { json, page, redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import type { Route } from '../routes.ts'
import { errorAddress, ownPage, viewError, viewSignIn, viewSignOut } from './page-replies.ts'

/** What an error becomes (I-6, I-7): the code is public, everything else stays here. */
export async function refusal(ctx: Context, route: Route, error: AuthError): Promise<Reply> {
  const { code, status } = error
  const { shown } = errorRow(code)
  const callbackUrl =
    ctx.callbackUrl ??
    (await ctx.returnAddress(ctx.form.fields.get('callbackUrl') ?? ctx.query.get('callbackUrl')))
  const retryUrl = ctx.retryUrl && ownPage(ctx, ctx.retryUrl, { error: code })
  if (speaksJson(ctx, route)) {
    const where = shown === 'error' ? 'error' : 'signin'
    const url = retryUrl ?? errorAddress(ctx, where, code, callbackUrl)
    return json({ url, error: code, message: errorText(ctx.language.messages, code) }, status)
  }
  if (retryUrl !== undefined && shown !== 'here') return redirect(retryUrl)
  // Another site's form gets no fresh token: its cookie would replace the one of the person's own tabs.
  if (code === 'Csrf' && foreignOrigin(ctx) !== undefined) return viewError(ctx, code, status)
  if (shown === 'here') return again(ctx, route, error, callbackUrl)
  // A page that cannot be shown must not lead back to itself, and a bad request leads nowhere. What
  // stands in the address of a return must not stay there.
  const isReturn = ctx.request.method !== 'POST' && route.path === '/callback/:provider'
  const isPage = ctx.request.method !== 'POST' && !isReturn
  if (isPage || (code === 'Default' && !isReturn)) return viewError(ctx, code, status)
  return redirect(errorAddress(ctx, shown, code, callbackUrl))
}

/** The page that was posted, once more: with a fresh token and a plain sentence. */
function again(ctx: Context, route: Route, error: AuthError, callbackUrl: string): Promise<Reply> {
  const shown = { callbackUrl, error: error.code, status: error.status }
  if (route.path === '/signout') return viewSignOut(ctx, shown)
  return viewSignIn(ctx, [...ctx.service.providers.values()], shown)
}

/** A refusal where even the service's own address is unknown (I-2). */
export function homeless(
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

/** JSON mode (I-6) is for POST; the three data routes know nothing else. */
export function speaksJson(ctx: Context, route: Route): boolean {
  if (route.speaks === 'json') return true
  if (route.method !== 'POST') return false
  if (ctx.form.fields.get('json') === 'true') return true
  const accept = ctx.request.headers.get('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/html')
}
