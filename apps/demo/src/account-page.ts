import type { AccountInfo, FactorInfo, SessionInfo } from '@latchkey/core'
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
  /** Undefined if users have no second factors. */
  readonly factors: readonly FactorInfo[] | undefined
  /** The id of this browser's session. */
  readonly sessionId: string | null
  readonly csrfToken: string
  readonly basePath: string
}

/** What a form has done, by the parameter `done`. */
const outcomes: Readonly<Record<string, string>> = {
  ended: 'That session has ended.',
  unknown: 'It is no longer there.',
  unlinked: 'The account is unlinked.',
  last: 'This is your only account: link another one before you unlink it.',
  removed: 'The authenticator app is removed.',
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
      <p class="muted">What the database has of you, and the forms that change it: a page that this application has
        written. The service has one too: <a href="${user.basePath}/account">your account</a>, where you also change your
        name and email address.</p>
      ${renderOutcome(done)}
      ${renderSessions(user)}
      ${renderAccounts(user)}
      ${user.factors && renderSecondFactor(user, user.factors)}
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

/** Renders what the service keeps as second factors. Its forms enrol with `link=true` (I-53.2). */
function renderSecondFactor(
  { basePath, csrfToken }: StoredUser,
  factors: readonly FactorInfo[],
): Markup {
  const apps = factors.filter(({ type }) => type === 'totp')
  const rows = apps.map(({ id, createdAt, lastUsedAt }) => {
    const used = lastUsedAt === null ? 'never' : formatTime(lastUsedAt)
    const since = formatTime(createdAt)
    return html`<li>
            <span><b>Authenticator app</b>, since ${since}, last used ${used}</span>
            <form action="/factors/remove">
              <input type="hidden" name="id" value="${id}">
              <button aria-label="${`Remove the authenticator app, since ${since}`}">Remove</button>
            </form>
          </li>`
  })
  const enrol = (method: string, label: string): Markup =>
    html`<form method="post" action="${basePath}/signin/${method}" class="link">
          <input type="hidden" name="csrfToken" value="${csrfToken}">
          <input type="hidden" name="link" value="true">
          <input type="hidden" name="callbackUrl" value="/account">
          <button>${label}</button>
        </form>`
  return html`<section aria-labelledby="second">
        <h2 id="second">Second factor</h2>
        <p>${apps.length === 0 ? 'None: each account above suffices to sign in.' : 'Each sign-in asks for a code of your app.'}</p>
        <ul class="rows">${rows}</ul>
        ${enrol('totp', apps.length === 0 ? 'Set up an authenticator app' : 'Set up another authenticator app')}
        ${apps.length > 0 ? enrol('recovery', 'New recovery codes') : undefined}
      </section>`
}

/** Renders the question before an authenticator app is removed. */
export function renderRemovalPage(id: string, csrfToken: string): string {
  return renderPage(
    'Remove the authenticator app',
    html`<h1>Remove the authenticator app?</h1>
      <p>Sign-ins then no longer ask for its codes. With the last app the recovery codes go too.</p>
      <form method="post" action="/factors/remove">
        <input type="hidden" name="csrfToken" value="${csrfToken}">
        <input type="hidden" name="id" value="${id}">
        <button class="primary">Remove</button>
      </form>
      <a class="button" href="/account">Keep it</a>`,
  )
}

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

function formatTime(seconds: number): string {
  return `${timeFormat.format(new Date(seconds * 1000))} UTC`
}
