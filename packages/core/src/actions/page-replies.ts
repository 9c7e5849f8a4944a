import type { Context } from '../context.ts'
import { knownCode } from '../errors.ts'
import { waitingFlow } from '../sign-in/flow.ts'
import { confirmPage } from '../pages/confirm.ts'
import { errorPage } from '../pages/error.ts'
import type { PageContext } from '../pages/layout.ts'
import { signInPage } from '../pages/signin.ts'
import { signOutPage } from '../pages/signout.ts'
import { verifyRequestPage } from '../pages/verify-request.ts'
import type { VerifyRequestView } from '../pages/verify-request.ts'
import type { ErrorCode } from '../errors.ts'
import type { Provider } from '../ports/provider.ts'
import { page, redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { callbackUrlOf } from '../http/base-url.ts'

/** What the sign-in and sign-out pages show besides the forms. */
interface Shown {
  readonly callbackUrl: string
  readonly error?: ErrorCode | undefined
  readonly status?: number
}

/** The sign-in page with the providers given, or the application's own. */
export async function viewSignIn(
  ctx: Context,
  providers: readonly Provider[],
  { callbackUrl, error, status }: Shown,
): Promise<Reply> {
  const { signIn } = ctx.service.pages
  if (signIn !== undefined) return redirect(ownPage(ctx, signIn, { callbackUrl, error }))
  const { base } = ctx.site
  const csrfToken = await ctx.csrfToken()
  return page(
    signInPage({ ...pageContext(ctx), base, providers, csrfToken, callbackUrl, error }),
    status,
  )
}

/** The sign-out page, or the application's own. */
export async function viewSignOut(ctx: Context, shown: Shown): Promise<Reply> {
  const { callbackUrl, error, status } = shown
  const { signOut } = ctx.service.pages
  if (signOut !== undefined) return redirect(ownPage(ctx, signOut, { callbackUrl, error }))
  const { base } = ctx.site
  const csrfToken = await ctx.csrfToken()
  return page(signOutPage({ ...pageContext(ctx), base, csrfToken, callbackUrl, error }), status)
}

/**
 * "Check your e-mail", or the application's own page. In the browser that asked it says which
 * address, and takes a code where there is one (I-31).
 */
export async function viewVerifyRequest(ctx: Context): Promise<Reply> {
  const { verifyRequest } = ctx.service.pages
  const error = errorOf(ctx)
  if (verifyRequest !== undefined) return redirect(ownPage(ctx, verifyRequest, { error }))
  const waiting = await waitingFor(ctx)
  return page(verifyRequestPage({ ...pageContext(ctx), error, waiting }))
}

/** The page that asks whether the person who opened a link is the one who is to be signed in. */
export async function viewConfirm(
  ctx: Context,
  whom: string,
  fields: Readonly<Record<string, string>>,
): Promise<Reply> {
  const action = callbackUrlOf(ctx.site, ctx.provider)
  const csrfToken = await ctx.csrfToken()
  return page(confirmPage({ ...pageContext(ctx), action, whom, fields: { ...fields, csrfToken } }))
}

/** Where a person waits for a mail. */
export function verifyRequestUrl(ctx: Context): string {
  const { id, type } = ctx.provider
  return ownPage(ctx, `${ctx.site.base}/verify-request`, { provider: id, type })
}

async function waitingFor(ctx: Context): Promise<VerifyRequestView['waiting']> {
  const provider = ctx.service.providers.get(ctx.query.get('provider') ?? '')
  const flow = provider?.outOfBand && (await waitingFlow(ctx, provider.id))
  if (!provider?.outOfBand || !flow) return undefined
  const action = callbackUrlOf(ctx.site, provider)
  return {
    ...provider.outOfBand.describePending(flow.state),
    action,
    csrfToken: await ctx.csrfToken(),
  }
}

/** The error page, right here. */
export function viewError(ctx: Context, error: ErrorCode, status: number): Reply {
  const signInUrl = `${ctx.site.base}/signin`
  return page(errorPage({ ...pageContext(ctx), signInUrl, error }), status)
}

/** Where a browser is sent with an error (I-7): the page itself is shown by the GET that follows. */
export function errorAddress(
  ctx: Context,
  shown: 'signin' | 'error',
  error: ErrorCode,
  callbackUrl: string | undefined,
): string {
  const { pages } = ctx.service
  const [own, route] = shown === 'signin' ? [pages.signIn, '/signin'] : [pages.error, '/error']
  // The origin itself is where a sign-in leads by default; saying so would only lengthen the address.
  const back = callbackUrl === ctx.site.origin ? undefined : callbackUrl
  return ownPage(ctx, own ?? ctx.site.base + route, { error, callbackUrl: back })
}

/** The code in a query, if there is one; one that we do not know counts as `Default` (I-8). */
export function errorOf(ctx: Context): ErrorCode | undefined {
  const error = ctx.query.get('error')
  return error === undefined ? undefined : knownCode(error)
}

function pageContext(ctx: Context): PageContext {
  return { language: ctx.language, style: ctx.service.style, origin: ctx.site.origin }
}

/** An absolute address with the parameters that have a value. */
export function ownPage(
  ctx: Context,
  address: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(address, ctx.site.origin)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url.href
}
