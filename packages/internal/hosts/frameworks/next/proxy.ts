import { withAuth, withCsrfCookie } from '@latchkey/next/proxy'
import { latchkey } from './auth.ts'

const guard = withAuth(latchkey, {
  authorized: ({ session, request }) =>
    session !== null || !/^\/(?:pages-)?account/.test(request.nextUrl.pathname),
})

// The pages with forms need the cookie; the guard decides about the others.
export const proxy = withCsrfCookie(latchkey, guard)

export const config = {
  matcher: ['/account/:path*', '/pages-account', '/forms', '/actions', '/api/act'],
}
