import type { ErrorCode } from '../errors.ts'
import type { Provider } from '../ports/provider.ts'
import { errorAlert, getHost, hiddenFields, html, layout } from './layout.ts'
import type { Markup, PageContext } from './layout.ts'
import { fill } from './messages.ts'

/** The values of {@link signInPage}. */
export interface SignInView extends PageContext {
  /** The absolute URL of the base path. */
  readonly base: string
  readonly providers: readonly Pick<Provider, 'id' | 'name' | 'type'>[]
  readonly csrfToken: string
  readonly callbackUrl: string
  readonly error: ErrorCode | undefined
}

/** Renders the sign-in page: one form per provider. */
export function signInPage(view: SignInView): string {
  const { messages } = view.language
  return layout(
    view,
    messages.signIn,
    html`<h1>${messages.signIn}</h1>
      <p class="muted">${fill(messages.signInTo, getHost(view.origin))}</p>
      ${errorAlert(view.language, view.error)}
      ${view.providers.map((provider) => providerForm(view, provider))}`,
  )
}

function providerForm(view: SignInView, provider: SignInView['providers'][number]): Markup {
  const { messages } = view.language
  const { id, name, type } = provider
  return html`<form method="post" action="${view.base}/signin/${id}">
    ${hiddenFields({ csrfToken: view.csrfToken, callbackUrl: view.callbackUrl })}
    ${type === 'email' ? emailInput(id, messages.email) : undefined}
    <button type="submit">${fill(messages.signInWith, name)}</button>
  </form>`
}

function emailInput(id: string, label: string): Markup {
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
