import type { AccountInfo, Auth, DefaultSession, HandleOptions, SessionInfo } from '@latchkey/core'
import { Hono } from 'hono'
import type { ReceivedMail } from './mailbox.ts'
import { html, pageHeaders, renderPage } from './page.ts'
import type { Markup } from './page.ts'

/** What the page shows of the user besides the session. */
interface Stored {
  readonly accounts: readonly AccountInfo[]
  readonly sessions: readonly SessionInfo[]
}

/**
 * Creates an application of two pages, with the service mounted at its base path.
 *
 * @param mails The emails that were received, newest first
 * @param isStored Whether users and sessions are stored
 */
export function createApplication(
  auth: Auth,
  mails: readonly ReceivedMail[] = [],
  isStored = false,
): Hono<{ Bindings: HandleOptions }> {
  const service = auth.basePath
  const app = new Hono<{ Bindings: HandleOptions }>()
  app.all(`${service}/*`, ({ req, env }) => auth.handle(req.raw, env))
  app.get('/', async ({ req }) => {
    const { session, headers } = await auth.getSession(req.raw)
    // If the session was renewed, `headers` contains its cookie.
    for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value)
    const stored = session && isStored ? await loadStored(auth, session.user.id) : undefined
    return new Response(renderSessionPage(session, service, stored), { headers })
  })
  app.get('/mailbox', () => new Response(renderMailboxPage(mails), { headers: pageHeaders }))
  return app
}

async function loadStored(auth: Auth, userId: string): Promise<Stored> {
  const [accounts, sessions] = [auth.accounts.list(userId), auth.sessions.list(userId)]
  return { accounts: await accounts, sessions: await sessions }
}

function renderSessionPage(
  session: DefaultSession | null,
  service: string,
  stored: Stored | undefined,
): string {
  return renderPage(
    'Latchkey demonstration',
    html`${session ? renderSignedIn(session, service) : renderSignedOut(service)}
      <section aria-labelledby="session">
        <h2 id="session">The session, as clients see it</h2>
        <pre>${JSON.stringify(session ?? {}, null, 2)}</pre>
      </section>
      ${stored && renderStored(stored)}`,
  )
}

function renderSignedIn({ user }: DefaultSession, service: string): Markup {
  return html`<h1>Hello, ${user.name ?? user.email ?? 'you'}</h1>
      <p class="muted">You are signed in.</p>
      <a class="button" href="${service}/signout">Sign out</a>`
}

function renderSignedOut(service: string): Markup {
  return html`<h1>Hello, stranger</h1>
      <p class="muted">You are not signed in.</p>
      <a class="button primary" href="${service}/signin">Sign in</a>
      <a class="button" href="/mailbox">Mailbox</a>
      <a class="button" href="/web/client.html">The same with the browser client</a>
      <a class="button" href="/web/react.html">The same with React</a>`
}

function renderStored({ accounts, sessions }: Stored): Markup {
  return html`<section aria-labelledby="accounts">
        <h2 id="accounts">Your accounts, in the database</h2>
        <ul>${accounts.map(({ provider, providerAccountId }) => html`<li>${provider}: ${providerAccountId}</li>`)}</ul>
      </section>
      <section aria-labelledby="sessions">
        <h2 id="sessions">Where you are signed in</h2>
        <ul>${sessions.map(({ userAgent, createdAt }) => html`<li>${userAgent ?? 'unknown browser'}, since ${formatTime(createdAt)}</li>`)}</ul>
      </section>`
}

function formatTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function renderMailboxPage(mails: readonly ReceivedMail[]): string {
  const shown = mails.map(
    ({ to, subject, text }) =>
      html`<section>
        <h2>${subject}</h2>
        <p class="muted">To ${to}</p>
        <pre>${linkUrls(text)}</pre>
      </section>`,
  )
  return renderPage(
    'Mailbox',
    html`<h1>Mailbox</h1>
      <p class="muted">Every email of the demonstration arrives here.</p>
      ${shown.length > 0 ? shown : html`<p>There are no emails yet.</p>`}
      <a class="button" href="/mailbox">Look again</a>
      <a class="button" href="/">Back</a>`,
  )
}

/** Turns the URLs in a text into links. */
function linkUrls(text: string): readonly Markup[] {
  return text
    .split(/(https?:\S+)/)
    .map((part) => (/^https?:/.test(part) ? html`<a href="${part}">${part}</a>` : html`${part}`))
}
