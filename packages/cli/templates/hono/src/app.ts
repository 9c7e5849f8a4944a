import { getConnInfo } from '@hono/node-server/conninfo'
import { getClientIp } from '@latchkey/environment'
import { latchkey, requireSession } from '@latchkey/hono'
import type { LatchkeyEnv } from '@latchkey/hono'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { auth, clientIpHeader } from './auth.ts'

export const app = new Hono<LatchkeyEnv>()

// Before any other middleware. Behind a reverse proxy, AUTH_CLIENT_IP_HEADER names the header that it sets.
app.use(
  latchkey(auth, {
    clientIp: (c) => getClientIp(c.req.raw.headers, clientIpHeader, getConnInfo(c).remote.address),
  }),
)

app.get('/', async (c) => {
  const session = await c.var.session()
  const page = session
    ? html`<p>Hello, ${session.user.name ?? session.user.email}.</p>
        <p><a href="/account">Your account</a> <a href="${auth.basePath}/signout">Sign out</a></p>`
    : html`<p><a href="${auth.basePath}/signin">Sign in</a></p>`
  return c.html(html`<!doctype html><title>My app</title>${page}`)
})

app.get('/account', requireSession(auth), (c) => c.json(c.var.signedIn.user))
