import type { Context } from './context.ts'
import { knownCode } from './errors.ts'
import { errorPage } from './pages/error.ts'
import type { PageContext } from './pages/layout.ts'
import { signInPage } from './pages/signin.ts'
import { signOutPage } from './pages/signout.ts'
import { verifyRequestPage } from './pages/verify-request.ts'
import type { ErrorCode, Provider } from './ports.ts'
import { page, redirect } from './reply.ts'
import type { Reply } from './reply.ts'

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

/** "Check your e-mail", or the application's own. */
export function viewVerifyRequest(ctx: Context): Reply {
  const { verifyRequest } = ctx.service.pages
  if (verifyRequest !== undefined) return redirect(ownPage(ctx, verifyRequest, {}))
  return page(verifyRequestPage(pageContext(ctx)))
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
