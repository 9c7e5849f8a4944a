import { getSecurityTexts } from '../texts.ts'
import { html, hiddenFields, layout } from '@latchkey/core/capability'
import { backLink } from '@latchkey/core/capability/pages'
import type { PageContext } from '@latchkey/core/capability'

/** The values of {@link renderEndPage}. */
export interface EndView extends PageContext {
  /** The URL that the form is posted to. */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

/** Renders the page that asks whether to end all sessions (I-62): a form, so that opening a link ends none. */
export function renderEndPage(view: EndView): string {
  const texts = getSecurityTexts(view.language.messages)
  return layout(
    view,
    texts.endSessions,
    html`<h1>${texts.endSessions}</h1>
      <p class="muted">${texts.endSessionsText}</p>
      <form method="post" action="${view.action}">
        ${hiddenFields(view.fields)}
        <button type="submit" class="primary">${texts.endSessions}</button>
      </form>
      ${backLink(view)}`,
  )
}

/** The values of {@link renderEndedPage}. */
export interface EndedView extends PageContext {
  readonly signInUrl: string
}

/** Renders the page that says that all sessions have ended. */
export function renderEndedPage(view: EndedView): string {
  const { messages } = view.language
  const texts = getSecurityTexts(messages)
  return layout(
    view,
    texts.sessionsEnded,
    html`<h1>${texts.sessionsEnded}</h1>
      <p class="muted">${texts.sessionsEndedText}</p>
      <a class="button primary" href="${view.signInUrl}">${messages.signIn}</a>
      ${backLink(view)}`,
  )
}
