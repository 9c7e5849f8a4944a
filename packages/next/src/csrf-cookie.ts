import { NextResponse } from 'next/server.js'
import type { NextFetchEvent, NextRequest } from 'next/server.js'
import type { SessionToken } from '@latchkey/core'
import type { AuthProxy, ProxyResult } from './auth-proxy.ts'
import type { NextAuth } from './create-next-auth.ts'
import { METHOD_HEADER } from './form-method.ts'
import { issueCsrfCookie } from './issue-csrf-cookie.ts'
import type { NextService } from './next-service.ts'
import { isAsset } from './page-path.ts'

/**
 * Returns a proxy (middleware, before Next.js 16) that sets the CSRF cookie on page requests, for forms
 * with `<CsrfToken />` and for server actions that call `signIn`, `signOut` or `updateSession`: a server
 * component cannot set a cookie. A valid cookie is kept, and only a GET gets a new one.
 *
 * A response that sets a cookie has `Cache-Control: private, no-store`. Let the `matcher` of the file
 * name the pages with such forms, and no page that a shared cache keeps.
 *
 * @param proxy The proxy that decides about the request, such as the proxy of `withAuth`. Default: it passes
 *
 * @example
 *   import type { NextAuth } from '@latchkey/next'
 *   import { withAuth, withCsrfCookie } from '@latchkey/next/proxy'
 *
 *   declare const latchkey: NextAuth
 *   const guard = withAuth(latchkey, {
 *     authorized: ({ session, request }) =>
 *       !request.nextUrl.pathname.startsWith('/account') || session !== null,
 *   })
 *   export const proxy = withCsrfCookie(latchkey, guard)
 *   export const config = { matcher: ['/', '/account/:path*'] }
 *
 * @throws ConfigurationError naming the invalid option, if this is the first use of the configuration
 */
export function withCsrfCookie<Session>(
  next: NextAuth<Session, SessionToken>,
  proxy?: (request: NextRequest, event: NextFetchEvent) => ProxyResult | Promise<ProxyResult>,
): AuthProxy {
  return async (request, event) => {
    const service = await next.service()
    if (!isPage(request, service)) return proxy?.(request, event)
    const isGet = request.method === 'GET'
    const lines = isGet ? await issueCsrfCookie(request.headers, service) : []
    // In place, so that the proxy passes these headers on if it changes others.
    request.headers.set(METHOD_HEADER, request.method)
    if (lines.length > 0) request.headers.set('cookie', applyCookies(request.headers, lines))
    const response = await proxy?.(request, event)
    return passOn(response, request, lines)
  }
}

function isPage({ nextUrl }: NextRequest, { basePath }: NextService<unknown>): boolean {
  return !isAsset(nextUrl.pathname) && !new URL(nextUrl.href).pathname.startsWith(`${basePath}/`)
}

/** Returns the `Cookie` header that the browser will send once it has the cookies of a response. */
function applyCookies(headers: Headers, lines: readonly string[]): string {
  const cookies = new Map<string, string>()
  for (const pair of (headers.get('cookie') ?? '').split(/; */)) cookies.set(getName(pair), pair)
  for (const line of lines) {
    const [pair = ''] = line.split(';')
    cookies.set(getName(pair), pair)
    if (/; Max-Age=0(?:;|$)/i.test(line)) cookies.delete(getName(pair))
  }
  return [...cookies.values()].filter(Boolean).join('; ')
}

function getName(pair: string): string {
  return pair.split('=', 1)[0] ?? ''
}

/** Passes the changed headers of a request on, and sets cookies, unless the proxy answers itself. */
function passOn(
  response: ProxyResult,
  request: NextRequest,
  lines: readonly string[],
): ProxyResult {
  const passes = NextResponse.next({ request: { headers: request.headers } })
  const result = response ?? passes
  const isPassed = ['x-middleware-next', 'x-middleware-rewrite'].some((name) =>
    result.headers.has(name),
  )
  if (!isPassed) return result
  const hasOwn = result.headers.has('x-middleware-override-headers')
  for (const [name, value] of hasOwn ? [] : passes.headers) {
    if (name !== 'x-middleware-next') result.headers.set(name, value)
  }
  for (const line of lines) result.headers.append('set-cookie', line)
  if (lines.length > 0) result.headers.set('cache-control', 'private, no-store')
  return result
}
