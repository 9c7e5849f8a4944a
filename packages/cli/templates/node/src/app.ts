import type { HandleOptions } from '@latchkey/core'
import { auth } from './auth.ts'
import { icon } from './icon.ts'
import { escape, page } from './page.ts'

/** Answers a request: the routes of the service, and the pages of the application. */
export async function handle(request: Request, options: HandleOptions = {}): Promise<Response> {
  // Only with `authorizationServer()`, whose URLs are outside the base path.
  const program = auth.programs?.(request, options)
  if (program) return program

  const { pathname } = new URL(request.url)
  if (pathname.startsWith(`${auth.basePath}/`)) return auth.handle(request, options)

  if (pathname === '/favicon.svg') {
    return new Response(icon, { headers: { 'content-type': 'image/svg+xml' } })
  }

  // The headers renew the cookie of a session in use.
  const { session, headers } = await auth.getSession(request)
  headers.set('cache-control', 'private, no-store')
  headers.set('content-type', 'text/html; charset=utf-8')

  if (pathname === '/') {
    const content = session
      ? `<h1>Hello, ${escape(session.user.name ?? session.user.email ?? '')}</h1>
        <nav>
          <a class="button" href="/account">Your account</a>
          <a href="${auth.basePath}/signout">Sign out</a>
        </nav>`
      : `<h1>my-app</h1>
        <p>You are not signed in.</p>
        <nav><a class="button" href="${auth.basePath}/signin">Sign in</a></nav>`
    return new Response(page('my-app', content), { headers })
  }
  if (pathname === '/account') {
    if (!session) return redirect(`${auth.basePath}/signin?callbackUrl=/account`)
    const content = `<h1>Your account</h1>
      <p>${escape(session.user.email ?? '')}</p>
      <nav><a href="/">Back</a></nav>`
    return new Response(page('Your account', content), { headers })
  }
  return new Response(page('Not found', '<h1>Not found</h1>'), { status: 404, headers })
}

function redirect(location: string) {
  return new Response(null, { status: 302, headers: { location } })
}
