import type { ErrorCode } from '../errors.ts'
import type { Provider } from '../ports/provider.ts'
import { alertBox, fieldsOf, hostOf, html, layout } from './layout.ts'
import type { Markup, PageContext } from './layout.ts'
import { fill } from './messages.ts'

export interface SignInView extends PageContext {
  readonly base: string
  readonly providers: readonly Shown[]
  readonly csrfToken: string
  readonly callbackUrl: string
  readonly error: ErrorCode | undefined
}

type Shown = Pick<Provider, 'id' | 'name' | 'type'>

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

function providerForm(view: SignInView, { id, name, type }: Shown): Markup {
  const { messages } = view.language
  return html`<form method="post" action="${view.base}/signin/${id}">
    ${fieldsOf({ csrfToken: view.csrfToken, callbackUrl: view.callbackUrl })}
    ${type === 'email' ? emailField(id, messages.email) : undefined}
    <button type="submit">${fill(messages.signInWith, name)}</button>
  </form>`
}

function emailField(id: string, label: string): Markup {
  return html`<label for="${id}-address">${label}</label>
    <input
      id="${id}-address"
      type="email"
      name="email"
      required
      maxlength="254"
      autocomplete="email"
    />`
}
