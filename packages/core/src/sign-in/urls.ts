import type { Context, Input } from '../kernel/context.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import type { Provider } from '../ports/provider.ts'

/**
 * Returns the return URL of a request, from the field `callbackUrl`, else from the parameter `callbackUrl`. It is checked: of the
 * origin of the service, of `trustedOrigins`, or allowed by `callbacks.redirect`. Any other becomes the origin.
 */
export function getReturnUrl(ctx: Context, { body, query }: Input): Promise<string> {
  return resolveReturnUrl(ctx, body.fields.get('callbackUrl') ?? query.get('callbackUrl'))
}

/** Returns the URL of the page that asks to check one's email. */
export function getVerifyRequestUrl(ctx: Context, { id, type }: Provider): string {
  return toUrl(ctx, `${ctx.baseUrl.href}/verify-request`, { provider: id, type })
}

/**
 * Returns the absolute URL of the sign-in page.
 *
 * @param callbackUrl Where the sign-in leads. Default: the origin
 * @param provider The only provider of the page. Default: all of them
 */
export function getSignInUrl(ctx: Context, callbackUrl?: string, provider?: Provider): string {
  const { href, origin } = ctx.baseUrl
  const target = callbackUrl === origin ? undefined : callbackUrl
  const path = provider ? `/signin/${provider.id}` : '/signin'
  return toUrl(ctx, href + path, { callbackUrl: target })
}

/** Returns the URL of the page that asks the user of a session to confirm. */
export function getConfirmUrl(ctx: Context, callbackUrl: string): string {
  return toUrl(ctx, getSignInUrl(ctx, callbackUrl), { confirm: 'true' })
}

/** Returns the URL of the page on which the user of a session begins to enrol a second factor. */
export function getEnrolUrl(ctx: Context, callbackUrl: string): string {
  return toUrl(ctx, getSignInUrl(ctx, callbackUrl), { enrol: 'true' })
}

/** Returns the URL of the page that asks for a second factor. */
export function getSecondUrl({ baseUrl }: Context): string {
  return `${baseUrl.href}/signin?second=true`
}

/**
 * Returns an absolute URL with further parameters.
 *
 * @param url Absolute, or a path of the origin
 * @param parameters By name; those that are undefined are left out
 */
export function toUrl(
  { baseUrl }: Context,
  url: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const absolute = new URL(url, baseUrl.origin)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) absolute.searchParams.set(name, value)
  }
  return absolute.href
}
