import type { ErrorCode } from '../ports/error-code.ts'
import { html } from './html.ts'
import type { Markup } from './html.ts'
import { backLink, errorAlert, fillIsolated, hiddenFields, layout } from './layout.ts'
import type { PageContext } from './layout.ts'

/** The values of {@link renderSignOutPage}. */
export interface SignOutView extends PageContext {
  /** The absolute URL of the base path. */
  readonly base: string
  readonly csrfToken: string
  readonly callbackUrl: string
  readonly error: ErrorCode | undefined
  /** The signed-in user; null if there is no session, undefined if it was not read. */
  readonly signedInAs: string | null | undefined
}

/** Renders the sign-out page: a form, so that opening a link never signs a user out. */
export function renderSignOutPage(view: SignOutView): string {
  const { signOut } = view.language.messages
  const content = view.signedInAs === null ? notSignedIn(view) : question(view)
  return layout(view, signOut, html`<h1>${signOut}</h1>${content}`)
}

function notSignedIn(view: SignOutView): Markup {
  const { messages } = view.language
  return html`<p class="muted">${messages.notSignedIn}</p>
    <a class="button primary" href="${view.base}/signin">${messages.signIn}</a>
    ${backLink(view)}`
}

function question(view: SignOutView): Markup {
  const { messages } = view.language
  const { signedInAs } = view
  return html`<p class="muted">
      ${signedInAs ? fillIsolated(messages.signedInAs, signedInAs) : undefined}
      ${messages.signOutQuestion}
    </p>
    ${errorAlert(view.language, view.error)}
    <form method="post" action="${view.base}/signout">
      ${hiddenFields({ csrfToken: view.csrfToken, callbackUrl: view.callbackUrl })}
      <button type="submit" class="primary">${messages.signOut}</button>
    </form>
    <a class="button" href="${view.callbackUrl}">${messages.cancel}</a>`
}
