import type { ConfirmationMessages } from '../ports/messages.ts'
import { html } from './html.ts'
import { hiddenFields, layout, notice } from './layout.ts'
import { providerForms } from './signin.ts'
import type { SignInView } from '../kernel/context.ts'
import type { Markup } from './html.ts'

/** Renders the page that asks a signed-in user to prove again who they are (I-51). */
export function renderConfirmationPage(view: SignInView): string {
  const { messages } = view.language
  const { heading, text } = messages.confirmation ?? englishConfirmation
  return layout(
    view,
    heading,
    html`<h1>${heading}</h1>
      <p class="muted">${text}</p>
      ${notice(view)}
      ${view.providers.length === 0 ? signOutForm(view) : providerForms(view)}
      <p class="links"><a href="${view.callbackUrl}">${messages.cancel}</a></p>`,
  )
}

/** A user without a way to confirm here can sign out, and sign in again. */
function signOutForm({ base, csrfToken, language }: SignInView): Markup {
  const { messages } = language
  return html`<p>${(messages.confirmation ?? englishConfirmation).none}</p>
    <form method="post" action="${base}/signout">
      ${hiddenFields({ csrfToken, callbackUrl: `${base}/signin` })}
      <button type="submit" class="primary">${messages.signOut}</button>
    </form>`
}

/** The English texts: they are here so that only applications with confirmations bundle them. */
export const englishConfirmation: ConfirmationMessages = {
  heading: 'Confirm that it is you',
  text: 'Sign in once more to continue.',
  none: 'You cannot confirm here. Sign out, then sign in again.',
}
