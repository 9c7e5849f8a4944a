import type { AccountInfo, Auth, DefaultSession, HandleOptions, SessionInfo } from '@latchkey/core'
import { Hono } from 'hono'
import type { ReceivedMail } from './mailbox.ts'
import { html, page, pageHeaders } from './page.ts'
import type { Markup } from './page.ts'

/** What the page shows of the user besides the session: undefined where nothing is stored. */
interface Stored {
  readonly accounts: readonly AccountInfo[]
  readonly sessions: readonly SessionInfo[]
}

/**
 * An application of two pages, with the service mounted in it at its default path.
 *
 * @param mails Where sign-in mails arrive, newest first
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
    // A session in use is renewed here too: `headers` then carries its cookie.
    for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value)
    const stored = session && isStored ? await storedOf(auth, session.user.id) : undefined
    return new Response(sessionPage(session, service, stored), { headers })
  })
  app.get('/mailbox', () => new Response(mailboxPage(mails), { headers: pageHeaders }))
  return app
}

async function storedOf(auth: Auth, userId: string): Promise<Stored> {
  const [accounts, sessions] = [auth.accounts.list(userId), auth.sessions.list(userId)]
  return { accounts: await accounts, sessions: await sessions }
}

function sessionPage(
  session: DefaultSession | null,
  service: string,
  stored: Stored | undefined,
): string {
  return page(
    'Latchkey demonstration',
    html`${session ? signedIn(session, service) : signedOut(service)}
      <section aria-labelledby="session">
        <h2 id="session">The session, as clients see it</h2>
        <pre>${JSON.stringify(session ?? {}, null, 2)}</pre>
      </section>
      ${stored && storedSections(stored)}`,
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
      <a class="button primary" href="${service}/signin">Sign in</a>
      <a class="button" href="/mailbox">Mailbox</a>
      <a class="button" href="/web/client.html">The same with the browser client</a>
      <a class="button" href="/web/react.html">The same with React</a>`
}

function storedSections({ accounts, sessions }: Stored): Markup {
  return html`<section aria-labelledby="accounts">
        <h2 id="accounts">Your accounts, in the database</h2>
        <ul>${accounts.map(({ provider, providerAccountId }) => html`<li>${provider}: ${providerAccountId}</li>`)}</ul>
      </section>
      <section aria-labelledby="sessions">
        <h2 id="sessions">Where you are signed in</h2>
        <ul>${sessions.map(({ userAgent, createdAt }) => html`<li>${userAgent ?? 'an unknown browser'}, since ${timeOf(createdAt)}</li>`)}</ul>
      </section>`
}

function timeOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function mailboxPage(mails: readonly ReceivedMail[]): string {
  const shown = mails.map(
    ({ to, subject, text }) =>
      html`<section>
        <h2>${subject}</h2>
        <p class="muted">To ${to}</p>
        <pre>${linked(text)}</pre>
      </section>`,
  )
  return page(
    'Mailbox',
    html`<h1>Mailbox</h1>
      <p class="muted">Every mail of the demonstration arrives here.</p>
      ${shown.length > 0 ? shown : html`<p>There is none yet.</p>`}
      <a class="button" href="/mailbox">Look again</a>
      <a class="button" href="/">Back</a>`,
  )
}

/** The addresses in a text as links. */
function linked(text: string): readonly Markup[] {
  return text
    .split(/(https?:\S+)/)
    .map((part) => (/^https?:/.test(part) ? html`<a href="${part}">${part}</a>` : html`${part}`))
}
