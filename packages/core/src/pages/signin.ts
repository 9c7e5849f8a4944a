import type { ErrorCode, Provider } from '../ports.ts'
import { alertBox, hiddenFields, hostOf, html, layout } from './layout.ts'
import type { Markup, PageContext } from './layout.ts'
import { fill } from './messages.ts'

export interface SignInView extends PageContext {
  readonly base: string
  readonly providers: readonly Pick<Provider, 'id' | 'name'>[]
  readonly csrfToken: string
  readonly callbackUrl: string
  readonly error: ErrorCode | undefined
}

/** The sign-in page: one form per provider. */
export function signInPage(view: SignInView): string {
  const { messages } = view.language
  return layout(
    view,
    messages.signIn,
    html`<h1>${messages.signIn}</h1>
      <p class="muted">${fill(messages.signInTo, hostOf(view.origin))}</p>
      ${alertBox(view.language, view.error)}
      ${view.providers.map((provider) => providerForm(view, provider))}`,
  )
}

function providerForm(view: SignInView, { id, name }: Pick<Provider, 'id' | 'name'>): Markup {
  return html`<form method="post" action="${view.base}/signin/${id}">
    ${hiddenFields(view.csrfToken, view.callbackUrl)}
    <button type="submit">${fill(view.language.messages.signInWith, name)}</button>
  </form>`
}
