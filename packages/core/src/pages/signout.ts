import type { ErrorCode } from '../errors.ts'
import { alertBox, fieldsOf, html, layout } from './layout.ts'
import type { PageContext } from './layout.ts'

export interface SignOutView extends PageContext {
  readonly base: string
  readonly csrfToken: string
  readonly callbackUrl: string
  readonly error: ErrorCode | undefined
}

/** The sign-out page: a question and a button, so that no link signs anybody out. */
export function signOutPage(view: SignOutView): string {
  const { messages } = view.language
  return layout(
    view,
    messages.signOut,
    html`<h1>${messages.signOut}</h1>
      <p class="muted">${messages.signOutQuestion}</p>
      ${alertBox(view.language, view.error)}
      <form method="post" action="${view.base}/signout">
        ${fieldsOf({ csrfToken: view.csrfToken, callbackUrl: view.callbackUrl })}
        <button type="submit" class="primary">${messages.signOut}</button>
      </form>`,
  )
}
