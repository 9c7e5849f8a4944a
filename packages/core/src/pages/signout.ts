import type { ErrorCode } from '../errors.ts'
import { errorAlert, hiddenFields, html, layout } from './layout.ts'
import type { PageContext } from './layout.ts'

/** The values of {@link renderSignOutPage}. */
export interface SignOutView extends PageContext {
  /** The absolute URL of the base path. */
  readonly base: string
  readonly csrfToken: string
  readonly callbackUrl: string
  readonly error: ErrorCode | undefined
}

/** Renders the sign-out page: a form, so that opening a link never signs a user out. */
export function renderSignOutPage(view: SignOutView): string {
  const { messages } = view.language
  return layout(
    view,
    messages.signOut,
    html`<h1>${messages.signOut}</h1>
      <p class="muted">${messages.signOutQuestion}</p>
      ${errorAlert(view.language, view.error)}
      <form method="post" action="${view.base}/signout">
        ${hiddenFields({ csrfToken: view.csrfToken, callbackUrl: view.callbackUrl })}
        <button type="submit" class="primary">${messages.signOut}</button>
      </form>`,
  )
}
