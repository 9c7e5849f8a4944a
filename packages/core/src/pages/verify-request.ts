import { hostOf, html, layout } from './layout.ts'
import type { PageContext } from './layout.ts'
import { fill } from './messages.ts'

/** "Check your e-mail": the same for known and unknown addresses (I-29). */
export function verifyRequestPage(view: PageContext): string {
  const { messages } = view.language
  return layout(
    view,
    messages.checkEmail,
    html`<h1>${messages.checkEmail}</h1>
      <p class="muted">${messages.checkEmailText}</p>
      <p><a href="${view.origin}">${fill(messages.back, hostOf(view.origin))}</a></p>`,
  )
}
