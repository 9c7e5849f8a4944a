import type { ErrorCode } from '../errors.ts'
import { alert, errorAlert, getHost, hiddenFields, html, layout } from './layout.ts'
import type { Markup, PageContext } from './layout.ts'
import { fill } from './messages.ts'

/** The values of {@link renderVerifyRequestPage}. */
export interface VerifyRequestView extends PageContext {
  readonly error: ErrorCode | undefined
  /** The pending sign-in of this browser, if there is one. */
  readonly waiting: PendingSignIn | undefined
}

interface PendingSignIn {
  /** The recipient of the message. */
  readonly identifier: string
  readonly acceptsCode: boolean
  /** The URL that the code is posted to. */
  readonly action: string
  readonly csrfToken: string
}

/** Renders the page "Check your email": the same for known and unknown email addresses (I-29). */
export function renderVerifyRequestPage(view: VerifyRequestView): string {
  const { messages } = view.language
  const { waiting } = view
  return layout(
    view,
    messages.checkEmail,
    html`<h1>${messages.checkEmail}</h1>
      ${waiting && html`<p><bdi>${waiting.identifier}</bdi></p>`}
      <p class="muted">${messages.checkEmailText}</p>
      ${waiting?.acceptsCode && view.error === 'Verification' ? alert(messages.wrongCode) : errorAlert(view.language, view.error)}
      ${waiting?.acceptsCode ? codeForm(messages.code, messages.signIn, waiting) : undefined}
      <p><a href="${view.origin}">${fill(messages.back, getHost(view.origin))}</a></p>`,
  )
}

function codeForm(label: string, button: string, { action, csrfToken }: PendingSignIn): Markup {
  return html`<form method="post" action="${action}">
    ${hiddenFields({ csrfToken })}
    <label for="code">${label}</label>
    <input
      id="code"
      name="code"
      required
      inputmode="numeric"
      pattern="[0-9 ]{8,9}"
      maxlength="9"
      autocomplete="one-time-code"
    />
    <button type="submit" class="primary">${button}</button>
  </form>`
}
