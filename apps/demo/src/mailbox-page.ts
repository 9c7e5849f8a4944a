import type { ReceivedMail } from './mailbox.ts'
import { html, renderPage } from './page.ts'
import type { Markup } from './page.ts'

/** Renders the page with every email that was received. */
export function renderMailboxPage(mails: readonly ReceivedMail[]): string {
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
      <nav aria-label="Pages">
        <a class="button" href="/mailbox">Look again</a>
        <a class="button" href="/">Back</a>
      </nav>`,
  )
}

/** Turns the URLs in a text into links. */
function linkUrls(text: string): readonly Markup[] {
  return text
    .split(/(https?:\S+)/)
    .map((part) => (/^https?:/.test(part) ? html`<a href="${part}">${part}</a>` : html`${part}`))
}
