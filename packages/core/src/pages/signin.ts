import type { Messages } from '../ports/messages.ts'
import type { Field, Provider } from '../ports/provider.ts'
import { alert, getHost, hiddenFields, html, layout } from './layout.ts'
import type { Markup, PageContext } from './layout.ts'
import { fill } from './messages.ts'

/** The values of {@link renderSignInPage}. */
export interface SignInView extends PageContext {
  /** The absolute URL of the base path. */
  readonly base: string
  readonly providers: readonly Pick<Provider, 'id' | 'name' | 'fields'>[]
  readonly csrfToken: string
  readonly callbackUrl: string
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string | undefined
  /** What the user has typed into the form of a provider, which is shown again. */
  readonly typed: TypedFields | undefined
}

/** The fields of a form as the user typed them, by name. */
export interface TypedFields {
  readonly providerId: string
  readonly values: ReadonlyMap<string, string>
}

/** Renders the sign-in page: one form per provider, with the fields that the provider declares. */
export function renderSignInPage(view: SignInView): string {
  const { messages } = view.language
  return layout(
    view,
    messages.signIn,
    html`<h1>${messages.signIn}</h1>
      <p class="muted">${fill(messages.signInTo, getHost(view.origin))}</p>
      ${view.message === undefined ? undefined : alert(view.message)}
      ${view.providers.map((provider) => providerForm(view, provider))}`,
  )
}

function providerForm(view: SignInView, provider: SignInView['providers'][number]): Markup {
  const { messages } = view.language
  const { id, name, fields = {} } = provider
  const values = view.typed?.providerId === id ? view.typed.values : undefined
  const input = ([field, definition]: [string, Field]): Markup =>
    labelledInput(`${id}_${field}`, field, { ...definition, messages, value: values?.get(field) })
  return html`<form method="post" action="${view.base}/signin/${id}">
    ${hiddenFields({ csrfToken: view.csrfToken, callbackUrl: view.callbackUrl })}
    ${Object.entries(fields).map(input)}
    <button type="submit">${fill(messages.signInWith, name)}</button>
  </form>`
}

interface Input extends Field {
  readonly messages: Messages
  /** What the user typed before. */
  readonly value: string | undefined
}

/** @param id Unique: a provider's id contains no underscore, so that those of two never collide */
function labelledInput(id: string, name: string, input: Input): Markup {
  const { label, type = 'text', autocomplete, required = true, maxLength = 255 } = input
  const value = type === 'password' ? undefined : input.value?.slice(0, maxLength)
  return html`<label for="${id}">${typeof label === 'string' ? label : label(input.messages)}</label>
    <input
      id="${id}"
      type="${type}"
      name="${name}"
      ${required ? html`required` : undefined}
      maxlength="${String(maxLength)}"
      ${autocomplete === undefined ? undefined : html`autocomplete="${autocomplete}"`}
      ${value === undefined ? undefined : html`value="${value}"`}
    />`
}
