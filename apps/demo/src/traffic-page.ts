import { html, renderPage } from './page.ts'
import type { Markup } from './page.ts'
import { explainCookie, explainExchange } from './traffic-notes.ts'
import type { Exchange, SentCookie } from './traffic.ts'

/** Renders the page that shows what travels in a sign-in. */
export function renderTrafficPage(
  exchanges: readonly Exchange[],
  basePath: string,
  csrfToken: string,
): string {
  const rows = exchanges.map((exchange) => renderExchange(exchange, basePath))
  return renderPage(
    'What travels',
    html`<h1>What travels in a sign-in</h1>
      <p class="muted">Every request to the service, and its own requests to the provider, in the order in which they
        began. Secrets are shortened. Sign in or out, and look again.</p>
      <nav aria-label="Pages">
        <a class="button" href="/traffic">Look again</a>
        <a class="button" href="/">Back</a>
      </nav>
      ${rows.length > 0 ? html`<ol class="exchanges">${rows}</ol>` : html`<p>Nothing has travelled yet.</p>`}
      <form method="post" action="/traffic/clear">
        <input type="hidden" name="csrfToken" value="${csrfToken}">
        <button>Forget all of it</button>
      </form>`,
    'wide',
  )
}

function renderExchange(exchange: Exchange, basePath: string): Markup {
  const { from, method, target, fields, sentCookies, status, location, cookies, at } = exchange
  const way = from === 'browser' ? 'Browser → service' : 'Service → provider'
  return html`<li class="${from}">
          <p class="way muted">${way}, ${new Date(at).toISOString().slice(11, 19)} UTC</p>
          <p class="request"><code><b>${method}</b> ${target}</code></p>
          <p>${explainExchange(exchange, basePath)}</p>
          <dl>
            ${renderNames('Fields', fields)}
            ${renderNames('Cookies sent', sentCookies)}
            <dt>Status</dt><dd>${status === undefined ? 'no response' : String(status)}</dd>
            ${location === undefined ? undefined : html`<dt>Location</dt><dd><code>${location}</code></dd>`}
            ${cookies.map(renderCookie)}
          </dl>
        </li>`
}

function renderNames(term: string, names: readonly string[]): Markup | undefined {
  return names.length === 0
    ? undefined
    : html`<dt>${term}</dt><dd><code>${names.join(', ')}</code></dd>`
}

function renderCookie(cookie: SentCookie): Markup {
  const { name, value, attributes } = cookie
  return html`<dt>Set-Cookie</dt><dd><code>${[`${name}=${value}`, ...attributes].join('; ')}</code>
              <span class="muted">${explainCookie(cookie)}</span></dd>`
}
