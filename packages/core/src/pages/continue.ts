import { html } from './html.ts'
import { fillIsolated, hiddenFields, layout } from './layout.ts'
import type { PageContext } from './layout.ts'

/** The values of {@link renderConfirmPage}. */
export interface ConfirmView extends PageContext {
  /** The URL that the form posts to. */
  readonly action: string
  /** The user to sign in, such as an email address. */
  readonly identifier: string
  /** The fields that the form posts. */
  readonly fields: Readonly<Record<string, string>>
}

/** Renders the question that is asked before a link works in a browser that did not begin the sign-in (I-31). */
export function renderConfirmPage(view: ConfirmView): string {
  const { messages } = view.language
  return layout(
    view,
    messages.signIn,
    html`<h1>${messages.signIn}</h1>
      <p>${fillIsolated(messages.confirm, view.identifier)}</p>
      <p class="muted">${messages.confirmText}</p>
      <form method="post" action="${view.action}">
        ${hiddenFields(view.fields)}
        <button type="submit" class="primary">${messages.signIn}</button>
      </form>`,
  )
}
