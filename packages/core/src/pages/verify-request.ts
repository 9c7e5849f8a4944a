import type { ErrorCode } from '../errors.ts'
import { alert, alertBox, fieldsOf, hostOf, html, layout } from './layout.ts'
import type { Markup, PageContext } from './layout.ts'
import { fill } from './messages.ts'

export interface VerifyRequestView extends PageContext {
  readonly error: ErrorCode | undefined
  /** What this browser waits for; undefined where it waits for nothing. */
  readonly waiting: Waiting | undefined
}

interface Waiting {
  readonly identifier: string
  readonly acceptsCode: boolean
  readonly action: string
  readonly csrfToken: string
}

/** "Check your e-mail": the same for known and unknown addresses (I-29). */
export function verifyRequestPage(view: VerifyRequestView): string {
  const { messages } = view.language
  const { waiting } = view
  return layout(
    view,
    messages.checkEmail,
    html`<h1>${messages.checkEmail}</h1>
      ${waiting && html`<p><bdi>${waiting.identifier}</bdi></p>`}
      <p class="muted">${messages.checkEmailText}</p>
      ${waiting?.acceptsCode && view.error === 'Verification' ? alert(messages.wrongCode) : alertBox(view.language, view.error)}
      ${waiting?.acceptsCode ? codeForm(messages.code, messages.signIn, waiting) : undefined}
      <p><a href="${view.origin}">${fill(messages.back, hostOf(view.origin))}</a></p>`,
  )
}

function codeForm(label: string, button: string, { action, csrfToken }: Waiting): Markup {
  return html`<form method="post" action="${action}">
    ${fieldsOf({ csrfToken })}
    <label for="code">${label}</label>
    <input
      id="code"
      name="code"
      required
      inputmode="numeric"
      pattern="[0-9 ]{6,7}"
      maxlength="7"
      autocomplete="one-time-code"
    />
    <button type="submit" class="primary">${button}</button>
  </form>`
}
