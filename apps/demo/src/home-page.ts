import type { DefaultSession } from '@latchkey/core'
import { html, renderPage } from './page.ts'
import type { Markup } from './page.ts'

/**
 * Renders the home page. It has no form: a new CSRF token after a sign-in would end a sign-in that is in
 * progress in another tab (I-20).
 *
 * @param hasAccount Whether the service has account pages
 */
export function renderHomePage(
  session: DefaultSession | null,
  basePath: string,
  hasAccount: boolean,
): string {
  return renderPage(
    'Latchkey demonstration',
    html`<h1>Latchkey</h1>
      <p class="muted">A sign-in service for the Web platform: one function from Request to Response. This application
        has it under ${basePath}, with a database, an OpenID provider and a mail server, all on this machine.</p>
      <ul aria-label="Why Latchkey">
        <li>It runs wherever fetch does: Node, Workers, Deno, Bun, and inside other frameworks.</li>
        <li>The next-auth browser clients work with it unchanged.</li>
        <li>Every change is one step of the storage; every code, link and flow works once.</li>
        <li>Passwords, passkeys, emails and providers sign in; a second factor and an account page are there.</li>
      </ul>
      ${session ? renderSignedIn(session, basePath, hasAccount) : renderSignedOut(basePath)}
      <section aria-labelledby="more">
        <h2 id="more">Look around</h2>
        <nav aria-labelledby="more">
          <a class="button" href="/looks">Themes and languages</a>
          <a class="button" href="/editors">A page for editors only</a>
          <a class="button" href="/mailbox">Mailbox</a>
          <a class="button" href="/traffic">What travels in a sign-in</a>
          <a class="button" href="/web/client.html">The same with the browser client</a>
          <a class="button" href="/web/react.html">The same with React</a>
        </nav>
      </section>
      <section aria-labelledby="session">
        <h2 id="session">The session, as clients see it</h2>
        <pre>${JSON.stringify(session ?? {}, null, 2)}</pre>
      </section>`,
    'wide',
  )
}

function renderSignedIn({ user }: DefaultSession, basePath: string, hasAccount: boolean): Markup {
  const address = user.email === null ? 'without an email address' : `as ${user.email}`
  const proven = user.email === null || user.emailVerified ? '' : ', which is not verified'
  return html`<h2 class="hello">Hello, ${user.name ?? user.email ?? 'you'}</h2>
      <p class="muted">You are signed in ${address}${proven}.</p>
      ${hasAccount ? html`<a class="button primary" href="${basePath}/account">Your account</a>` : undefined}
      <a class="button" href="${basePath}/signout">Sign out</a>`
}

function renderSignedOut(basePath: string): Markup {
  return html`<h2 class="hello">Hello, stranger</h2>
      <p class="muted">You are not signed in.</p>
      <a class="button primary" href="${basePath}/signin">Sign in</a>`
}
