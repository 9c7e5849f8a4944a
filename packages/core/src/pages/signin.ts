import { getCarried } from '../kernel/context.ts'
import type { TypedFields } from '../kernel/context.ts'
import type { Language } from '../ports/messages.ts'
import type { Field, Provider } from '../ports/provider.ts'
import { html, raw } from './html.ts'
import type { Markup } from './html.ts'
import {
  alert,
  describedByError,
  fillIsolated,
  getSiteName,
  hiddenFields,
  layout,
} from './layout.ts'
import type { PageContext } from './layout.ts'
import { fill } from './messages.ts'

/** What the sign-in page shows of a provider. */
type ShownProvider = Pick<Provider, 'id' | 'name' | 'type' | 'fields' | 'button'>

/** The values of {@link renderSignInPage}. */
export interface SignInView extends PageContext {
  /** The absolute URL of the base path. */
  readonly base: string
  readonly providers: readonly ShownProvider[]
  readonly csrfToken: string
  readonly callbackUrl: string
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string | undefined
  /** What the user has typed into the form of a provider, which is shown again. */
  readonly typed: TypedFields | undefined
  /** The signed-in user, who can continue without signing in again. */
  readonly signedInAs: string | undefined
  /** What each form posts besides. */
  readonly hidden?: Readonly<Record<string, string>>
  /** What each form has before its button. Default: nothing */
  readonly beforeButton?: Markup
}

/**
 * Renders the sign-in page: one form per provider, with the fields that the provider declares. Those
 * with fields come first.
 */
export function renderSignInPage(view: SignInView): string {
  const { messages } = view.language
  return layout(
    view,
    messages.signIn,
    html`<h1>${messages.signIn}</h1>
      <p class="muted">${fillIsolated(messages.signInTo, getSiteName(view))}</p>
      ${view.message === undefined ? undefined : alert(view.message, view.typed?.isMistake)}
      ${view.signedInAs === undefined ? undefined : continueLink(view, view.signedInAs)}
      ${providerForms(view)}`,
  )
}

function continueLink({ language, callbackUrl }: SignInView, signedInAs: string): Markup {
  const { messages } = language
  return html`<p role="status">${fillIsolated(messages.signedInAs, signedInAs)}</p>
    <a class="button primary" href="${callbackUrl}">${messages.continue}</a>
    <p class="or">${messages.useAnotherAccount}</p>`
}

/** Renders one form per provider. */
export function providerForms(view: SignInView): readonly Markup[] {
  const { providers, signedInAs, language } = view
  const ordered = sortProviders(view)
  const divided = ordered.findLastIndex(hasFields) + 1 // up to the form after the last one with fields
  const isFilled =
    view.hidden === undefined && providers.some((each) => getCarried(each)?.script !== undefined)
  return ordered.map((provider, index) => {
    const isFirst = index === 0
    const isMain = isFirst && (divided > 0 || ordered.length === 1)
    const shown = { ...view, isFilled, isPrimary: isMain && signedInAs === undefined }
    const form = getCarried(provider)?.answers?.renderForm?.(shown) ?? providerForm(shown, provider)
    const isDivided = !isFirst && index <= divided
    return isDivided ? html`<p class="or">${language.messages.or}</p>${form}` : form
  })
}

/** Forms with fields come first; but a second step begins with what needs no code. */
function sortProviders({ providers, hidden }: SignInView): readonly ShownProvider[] {
  const isSecond = hidden?.['second'] === 'true'
  const toRank = (provider: ShownProvider): number =>
    hasFields(provider) ? 1 : isSecond && getCarried(provider)?.script !== undefined ? 0 : 2
  return providers.toSorted((a, b) => toRank(a) - toRank(b))
}

function hasFields({ fields }: ShownProvider): boolean {
  return fields !== undefined && Object.keys(fields).length > 0
}

/** The page as the form of one provider sees it. */
interface FormView extends SignInView {
  /** Whether the browser can show passkeys in its fields. */
  readonly isFilled: boolean
  readonly isPrimary: boolean
}

function providerForm(view: FormView, provider: ShownProvider): Markup {
  const { language, isFilled } = view
  const { messages } = language
  const { id, name, fields = {}, button } = provider
  const typed = view.typed?.providerId === id ? view.typed : undefined
  const input = ([field, definition]: [string, Field]): Markup =>
    labelledInput(`${id}_${field}`, field, { ...definition, language, typed, isFilled })
  return html`<form method="post" action="${view.base}/signin/${id}">
    ${hiddenFields({ csrfToken: view.csrfToken, callbackUrl: view.callbackUrl, ...view.hidden })}
    ${Object.entries(fields).map(input)} ${view.beforeButton}
    ${providerButton(view, provider, button?.(messages) ?? fill(messages.continueWith, name))}
    ${view.hidden === undefined ? getCarried(provider)?.answers?.renderLinks?.(view) : undefined}
  </form>`
}

/** What the button of a form needs of the page. */
interface ButtonView extends Pick<PageContext, 'theme'> {
  /** Default: false */
  readonly isPrimary?: boolean
}

/** Renders the button of a provider, with its mark. */
export function providerButton(
  { theme, isPrimary = false }: ButtonView,
  provider: Pick<Provider, 'id' | 'type'>,
  text: string,
): Markup {
  const mark = theme.marks?.(provider)
  const classes = [isPrimary && 'primary', mark && 'mark'].filter(Boolean).join(' ')
  return html`<button type="submit" ${classes === '' ? undefined : html`class="${classes}"`}>
    ${mark && html`<span aria-hidden="true">${mark}</span>`} ${text}
  </button>`
}

interface Input extends Field {
  readonly language: Language
  /** What the user typed before. */
  readonly typed: TypedFields | undefined
  readonly isFilled: boolean
}

/** In the field of a user's name the browser shows passkeys too (WebAuthn §5.1.4). */
function toAutocomplete({ autocomplete, isFilled }: Input): string | undefined {
  const isName = autocomplete === 'email' || autocomplete === 'username'
  return isFilled && isName ? 'username webauthn' : autocomplete
}

/** @param id Unique: a provider's id contains no underscore, so that the ids of two inputs never collide */
function labelledInput(id: string, name: string, input: Input): Markup {
  const { label, type = 'text', inputMode, maxLength = 255, typed } = input
  const autocomplete = toAutocomplete(input)
  const { messages, tag } = input.language
  const value = type === 'password' ? undefined : typed?.values.get(name)?.slice(0, maxLength)
  return html`<label for="${id}">${typeof label === 'string' ? label : label(messages, tag)}</label>
    <input
      id="${id}"
      type="${type}"
      name="${name}"
      ${input.required === false ? undefined : html`required`}
      maxlength="${String(maxLength)}"
      ${inputMode === undefined ? undefined : html`inputmode="${inputMode}"`}
      ${autocomplete === undefined ? undefined : html`autocomplete="${autocomplete}"`}
      ${value === undefined ? undefined : html`value="${value}"`}
      ${typed?.isMistake ? raw(describedByError) : undefined}
    />`
}
