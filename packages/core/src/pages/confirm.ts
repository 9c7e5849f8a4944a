import { fieldsOf, html, layout } from './layout.ts'
import type { PageContext } from './layout.ts'
import { fill } from './messages.ts'

export interface ConfirmView extends PageContext {
  readonly action: string
  /** Who would be signed in. */
  readonly whom: string
  /** What the button posts. */
  readonly fields: Readonly<Record<string, string>>
}

/** Shown to whoever opens a sign-in link in another browser than the one that asked for it (I-31). */
export function confirmPage(view: ConfirmView): string {
  const { messages } = view.language
  return layout(
    view,
    messages.signIn,
    html`<h1>${fill(messages.confirm, view.whom)}</h1>
      <p class="muted">${messages.confirmText}</p>
      <form method="post" action="${view.action}">
        ${fieldsOf(view.fields)}
        <button type="submit" class="primary">${messages.signIn}</button>
      </form>`,
  )
}
