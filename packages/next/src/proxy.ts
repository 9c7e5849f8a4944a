import type { SessionToken } from '@latchkey/core'
import type { NextFetchEvent, NextRequest } from 'next/server.js'
import type { AuthProxy, ProxyResult } from './auth-proxy.ts'
import type { NextAuth } from './create-next-auth.ts'
import type { NextService } from './next-service.ts'
import { isAsset } from './page-path.ts'
import { getRequestTarget, toOrigin } from './request-url.ts'

export type { AuthProxy, ProxyResult } from './auth-proxy.ts'
export { withCsrfCookie } from './csrf-cookie.ts'

/** What `authorized` and `onAuthorized` of {@link withAuth} get. */
export interface ProxyArguments<Session> {
  /** Null if there is no session. */
  readonly session: Session | null
  readonly request: NextRequest
  readonly event: NextFetchEvent
}

/** Options of {@link withAuth}. */
export interface WithAuthOptions<Session> {
  /** Decides whether the request may pass. Default: whether there is a session */
  readonly authorized?: (args: ProxyArguments<Session>) => boolean | Promise<boolean>
  /** Handles a request that may pass, as a proxy does. Default: it passes unchanged */
  readonly onAuthorized?: (args: ProxyArguments<Session>) => ProxyResult | Promise<ProxyResult>
}

/**
 * Returns a proxy (middleware, before Next.js 16) that redirects requests that are not authorized to
 * the sign-in page, from which the user returns to the same URL. GET and HEAD are redirected by 302,
 * other methods by 303, without their body.
 *
 * It reads the session and writes nothing. The routes of the service, the pages of its option `pages`
 * except `newUser`, the files of `/_next/` and `/favicon.ico` always pass; limit it further by the
 * `matcher` of the file. If the storage fails, the answer is 503. Pages and actions must check the
 * session themselves, too: a matcher is easily wrong.
 *
 * @example
 *   import type { NextAuth } from '@latchkey/next'
 *   import { withAuth } from '@latchkey/next/proxy'
 *
 *   declare const authOptions: NextAuth
 *   export default withAuth(authOptions, {
 *     authorized: ({ session }) => session?.user.emailVerified === true,
 *   })
 *   export const config = { matcher: ['/account/:path*'] }
 */
export function withAuth<Session>(
  next: NextAuth<Session, SessionToken>,
  options: WithAuthOptions<Session> = {},
): AuthProxy {
  const { authorized = ({ session }) => session !== null, onAuthorized } = options
  return async (request, event) => {
    const service = await next.service()
    if (isPublic(request, service)) return undefined
    const session = await readSession(request, service)
    if (session instanceof Response) return session
    const args = { session, request, event }
    if (await authorized(args)) return onAuthorized?.(args)
    return redirectToSignIn(request, service)
  }
}

const notStored = { 'cache-control': 'private, no-store' }

async function readSession<Session>(
  { headers }: NextRequest,
  service: NextService<Session>,
): Promise<Session | Response | null> {
  try {
    const request = new Request(toOrigin(headers), { headers })
    return (await service.getSession(request, { renew: false })).session
  } catch (thrown) {
    // The code and not the class, because an application can have two copies of core.
    const { code }: { readonly code?: unknown } = Object(thrown)
    if (code !== 'Unavailable') throw thrown
    return new Response('Try again later.', { status: 503, headers: notStored })
  }
}

/** Returns whether a request passes without a session: otherwise no user could sign in. */
function isPublic({ nextUrl, headers }: NextRequest, service: NextService<unknown>): boolean {
  if (isAsset(nextUrl.pathname)) return true
  const { pathname } = new URL(nextUrl.href)
  const origin = service.origin ?? toOrigin(headers)
  const { newUser: _, ...publicPages } = service.pages
  const pages = Object.values(publicPages)
    .map((page) => new URL(page, origin))
    .filter((page) => page.origin === origin)
  return (
    pathname.startsWith(`${service.basePath}/`) ||
    pages.some((page) => toComparable(page.pathname) === toComparable(pathname))
  )
}

function toComparable(path: string): string {
  return path.replace(/(?<=.)\/$/, '')
}

function redirectToSignIn(request: NextRequest, service: NextService<unknown>): Response {
  const { method, headers, nextUrl } = request
  const isSafe = method === 'GET' || method === 'HEAD'
  const { signIn = `${service.basePath}/signin` } = service.pages
  const origin = service.origin ?? toOrigin(headers)
  const location = new URL(signIn, origin)
  // A path, because behind a proxy the origin of the request is not the public one. For another method
  // the page is the referrer.
  const callbackUrl = isSafe ? toPath(nextUrl.href) : getOwnReferrer(headers, origin)
  if (callbackUrl !== undefined) location.searchParams.set('callbackUrl', callbackUrl)
  return new Response(null, {
    status: isSafe ? 302 : 303,
    headers: { ...notStored, location: location.href },
  })
}

/** Returns path and query; several slashes at the beginning would make the path a URL of another host. */
function toPath(url: string): string {
  return getRequestTarget(url).replace(/^\/+/, '/')
}

/** Returns the page that sent a request, unless it is another site's: the sign-in page may follow it. */
function getOwnReferrer(headers: Headers, origin: string): string | undefined {
  const url = URL.parse(headers.get('referer') ?? '')
  return url?.origin === origin ? url.href : undefined
}
