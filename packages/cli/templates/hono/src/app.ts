import { latchkey, requireSession } from '@latchkey/hono'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { auth } from './auth.ts'
import { icon } from './icon.ts'
import { page } from './page.ts'

export const app = new Hono()
  // Before any other middleware. The server passes the client's IP address on.
  .use(latchkey(auth, { clientIp: (c) => c.env.clientIp?.() }))
  .get('/favicon.svg', (c) => c.body(icon, 200, { 'content-type': 'image/svg+xml' }))
  .get('/', async (c) => {
    const session = await c.var.session()
    const content = session
      ? html`<h1>Hello, ${session.user.name ?? session.user.email}</h1>
          <nav>
            <a class="button" href="/account">Your account</a>
            <a href="${auth.basePath}/signout">Sign out</a>
          </nav>`
      : html`<h1>my-app</h1>
          <p>You are not signed in.</p>
          <nav><a class="button" href="${auth.basePath}/signin">Sign in</a></nav>`
    return c.html(page('my-app', content))
  })
  .get('/account', requireSession(auth), (c) => {
    const { user } = c.var.signedIn
    const content = html`<h1>Your account</h1>
      <p>${user.email}</p>
      <nav><a href="/">Back</a></nav>`
    return c.html(page('Your account', content))
  })
