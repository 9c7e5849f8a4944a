import type { Messages, SecurityMessages } from '@latchkey/core'
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

/** Returns the texts about security in a language. */
export function getSecurityTexts({ securityEmails = englishSecurity }: Messages): SecurityMessages {
  return securityEmails
}

/** The English texts: they are here so that only applications with emails about security bundle them. */
export const englishSecurity: SecurityMessages = {
  changes: {
    newBrowser: 'A new browser signed in to your account at {name}',
    factorAdded: 'A second factor was added to your account at {name}',
    factorRemoved: 'A second factor was removed from your account at {name}',
    recoveryCodeUsed: 'A recovery code of your account at {name} was used',
    recoveryCodesReplaced: 'New recovery codes were created for your account at {name}',
    secondFactorFailed: 'Many wrong codes were entered for your account at {name}',
    passwordChanged: 'The password of your account at {name} was changed',
    emailChanged: 'The email address of your account at {name} was changed',
    accountLinked: 'A way to sign in was added to your account at {name}',
    accountUnlinked: 'A way to sign in was removed from your account at {name}',
  },
  time: 'Time: {name}',
  browser: 'Browser: {name}',
  detail: 'Name: {name}',
  further: 'There were further changes since our last email.',
  wasYou: 'If this was you, ignore this email.',
  wasNotYou: 'If this was not you, open this link to end all sessions:',
  note: 'The link works once and expires in {name}.',
  endSessions: 'End all sessions',
  endSessionsText: 'Your account is signed out in every browser. Then sign in again.',
  sessionsEnded: 'All sessions have ended',
  sessionsEndedText:
    'Your account is signed out in every browser. Sign in again, and check what was changed.',
}
