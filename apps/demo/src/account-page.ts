import type { AccountInfo, SessionInfo } from '@latchkey/core'
import { describeBrowser } from './browser-name.ts'
import { html, renderPage } from './page.ts'
import type { Markup } from './page.ts'

/** A way of signing in, as `GET /providers` lists it. */
export interface ListedProvider {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly signinUrl: string
}

/** What the page shows of a user. */
export interface StoredUser {
  readonly accounts: readonly AccountInfo[]
  readonly sessions: readonly SessionInfo[]
  readonly providers: readonly ListedProvider[]
  /** The id of this browser's session. */
  readonly sessionId: string | null
  readonly csrfToken: string
}

/** What a form has done, by the parameter `done`. */
const outcomes: Readonly<Record<string, string>> = {
  ended: 'That session has ended.',
  unknown: 'It is no longer there.',
  unlinked: 'The account is unlinked.',
  last: 'This is your only account: link another one before you unlink it.',
}

/** Renders what the last form has done, as the parameter `done` says. */
export function renderOutcome(done: string | null): Markup | undefined {
  const outcome = outcomes[done ?? '']
  return outcome === undefined ? undefined : html`<p role="status" class="outcome">${outcome}</p>`
}

/** Renders the page with a user's sessions and accounts, and the forms that change them. */
export function renderAccountPage(user: StoredUser, done: string | null): string {
  return renderPage(
    'Sessions and accounts',
    html`<h1>Sessions and accounts</h1>
      <p class="muted">What the database has of you, and the forms that change it.</p>
      ${renderOutcome(done)}
      ${renderSessions(user)}
      ${renderAccounts(user)}
      <nav aria-label="Pages">
        <a class="button" href="/">Back</a>
      </nav>`,
    'wide',
  )
}

function renderSessions({ sessions, sessionId, csrfToken }: StoredUser): Markup {
  const rows = sessions.map(({ id, userAgent, createdAt }) => {
    const isThis = id === sessionId
    const label = [describeBrowser(userAgent), ...(isThis ? ['this browser'] : [])].join(', ')
    const since = formatTime(createdAt)
    return html`<li>
            <span><b>${label}</b>, since ${since}</span>
            <form method="post" action="/sessions/end">
              <input type="hidden" name="csrfToken" value="${csrfToken}">
              <input type="hidden" name="id" value="${id}">
              <button aria-label="${`End the session of ${label}, since ${since}`}">End</button>
            </form>
          </li>`
  })
  return html`<section aria-labelledby="sessions">
        <h2 id="sessions">Where you are signed in</h2>
        <ul class="rows">${rows}</ul>
      </section>`
}

function renderAccounts({ accounts, providers, csrfToken }: StoredUser): Markup {
  const rows = accounts.map(({ provider, providerAccountId }) => {
    const name = providers.find(({ id }) => id === provider)?.name ?? provider
    return html`<li>
            <span><b>${name}</b>: ${providerAccountId}</span>
            <form method="post" action="/accounts/unlink">
              <input type="hidden" name="csrfToken" value="${csrfToken}">
              <input type="hidden" name="provider" value="${provider}">
              <input type="hidden" name="providerAccountId" value="${providerAccountId}">
              <button aria-label="${`Unlink ${name}: ${providerAccountId}`}">Unlink</button>
            </form>
          </li>`
  })
  const links = providers.map((provider) => renderLink(provider, csrfToken))
  return html`<section aria-labelledby="accounts">
        <h2 id="accounts">How you can sign in</h2>
        <ul class="rows">${rows}</ul>
        <h3>Link another account</h3>
        ${links}
      </section>`
}

/** Renders a form of the service. Accounts are linked only if the form has `link=true` (I-39). */
function renderLink({ id, name, type, signinUrl }: ListedProvider, csrfToken: string): Markup {
  const field =
    type === 'email'
      ? html`<label for="link-${id}">Email address</label>
            <input id="link-${id}" name="email" type="email" autocomplete="email" required>`
      : undefined
  return html`<form method="post" action="${new URL(signinUrl).pathname}" class="link">
          <input type="hidden" name="csrfToken" value="${csrfToken}">
          <input type="hidden" name="link" value="true">
          <input type="hidden" name="callbackUrl" value="/account">
          ${field}
          <button>${type === 'email' ? 'Link this email address' : `Link an account of ${name}`}</button>
        </form>`
}

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

function formatTime(seconds: number): string {
  return `${timeFormat.format(new Date(seconds * 1000))} UTC`
}
