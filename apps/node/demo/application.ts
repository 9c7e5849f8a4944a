import type { Auth, DefaultSession } from '@latchkey/core'
import { Hono } from 'hono'
import { html, page, pageHeaders } from './page.ts'
import type { Markup } from './page.ts'

/** An application of one page, with the service mounted in it at its default path. */
export function createApplication(auth: Auth): Hono {
  const service = auth.basePath
  const app = new Hono()
  app.all(`${service}/*`, ({ req }) => auth.handle(req.raw))
  app.get('/', async ({ req }) => {
    const { session, headers } = await auth.getSession(req.raw)
    // A session in use is renewed here too: `headers` then carries its cookie.
    for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value)
    return new Response(sessionPage(session, service), { headers })
  })
  return app
}

function sessionPage(session: DefaultSession | null, service: string): string {
  return page(
    'Latchkey demonstration',
    html`${session ? signedIn(session, service) : signedOut(service)}
      <section aria-labelledby="session">
        <h2 id="session">The session, as clients see it</h2>
        <pre>${JSON.stringify(session ?? {}, null, 2)}</pre>
      </section>`,
  )
}

function signedIn({ user }: DefaultSession, service: string): Markup {
  return html`<h1>Hello, ${user.name ?? user.email ?? 'you'}</h1>
      <p class="muted">You are signed in.</p>
      <a class="button" href="${service}/signout">Sign out</a>`
}

function signedOut(service: string): Markup {
  return html`<h1>Hello, stranger</h1>
      <p class="muted">You are not signed in.</p>
      <a class="button primary" href="${service}/signin">Sign in</a>`
}
