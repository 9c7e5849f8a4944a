import type { ErrorCode } from '../errors.ts'
import type { Messages } from '../ports/messages.ts'
import type { Field, Provider } from '../ports/provider.ts'
import { errorAlert, getHost, hiddenFields, html, layout } from './layout.ts'
import type { Markup, PageContext } from './layout.ts'
import { fill } from './messages.ts'

/** The values of {@link renderSignInPage}. */
export interface SignInView extends PageContext {
  /** The absolute URL of the base path. */
  readonly base: string
  readonly providers: readonly Pick<Provider, 'id' | 'name' | 'fields'>[]
  readonly csrfToken: string
  readonly callbackUrl: string
  readonly error: ErrorCode | undefined
}

/** Renders the sign-in page: one form per provider, with the fields that the provider declares. */
export function renderSignInPage(view: SignInView): string {
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
  const { id, name, fields = {} } = provider
  return html`<form method="post" action="${view.base}/signin/${id}">
    ${hiddenFields({ csrfToken: view.csrfToken, callbackUrl: view.callbackUrl })}
    ${Object.entries(fields).map(([field, definition]) => labelledInput(id, field, definition, messages))}
    <button type="submit">${fill(messages.signInWith, name)}</button>
  </form>`
}

function labelledInput(
  providerId: string,
  name: string,
  { label, type = 'text', autocomplete, required = true, maxLength = 255 }: Field,
  messages: Messages,
): Markup {
  // A provider's id contains no underscore, so that the ids of two providers never collide.
  const id = `${providerId}_${name}`
  return html`<label for="${id}">${typeof label === 'string' ? label : label(messages)}</label>
    <input
      id="${id}"
      type="${type}"
      name="${name}"
      ${required ? html`required` : undefined}
      maxlength="${String(maxLength)}"
      ${autocomplete === undefined ? undefined : html`autocomplete="${autocomplete}"`}
    />`
}
