import { html, renderPage } from './page.ts'
import type { Markup } from './page.ts'

/**
 * Renders the page that only editors see, or why it is refused.
 *
 * @param role The role in the session's token
 */
export function renderEditorsPage(role: string): string {
  return renderPage(
    'For editors',
    html`${role === 'editor' ? renderAllowed() : renderRefused(role)}
      <section aria-labelledby="how">
        <h2 id="how">How</h2>
        <p>callbacks.jwt adds the role to the token of the session, at sign-in and at each renewal. The page asks auth.getToken:</p>
        <pre>${code}</pre>
      </section>
      <a class="button" href="/">Back</a>`,
  )
}

const code = `callbacks: {
  jwt: ({ token }) => ({ ...token, role: findRole(token) }),
}

const token = await auth.getToken(request)
if (token?.role !== 'editor') return refuse()`

function renderAllowed(): Markup {
  return html`<h1>For editors</h1>
      <p>You may see this page: your role is editor.</p>`
}

function renderRefused(role: string): Markup {
  return html`<h1>Only for editors</h1>
      <p role="alert">Your role is ${role}. Alice is an editor, all others are readers.</p>`
}
