import { getCarried } from '../kernel/context.ts'
import type {
  RenderForms,
  ShownField,
  ShownProvider,
  SignInView,
  TypedFields,
} from '../kernel/context.ts'
import type { Language } from '../ports/messages.ts'
import type { Provider } from '../ports/provider.ts'
import { html, raw } from './html.ts'
import type { Markup } from './html.ts'
import {
  describedByError,
  fillIsolated,
  getSiteName,
  hiddenFields,
  layout,
  notice,
} from './layout.ts'
import type { PageContext } from './layout.ts'
import { renderMark } from './mark.ts'
import type { MarkedProvider } from './mark.ts'
import { fill } from './messages.ts'

/**
 * Renders the sign-in page.
 *
 * @param renderForms Default: one form per provider
 */
export function renderSignInPage(
  view: SignInView,
  renderForms: RenderForms = providerForms,
): string {
  const { messages } = view.language
  const { signedInAs } = view
  return layout(
    view,
    messages.signIn,
    html`<h1>${messages.signIn}</h1>
      <p class="muted">${fillIsolated(messages.signInTo, getSiteName(view))}</p>
      ${notice(view)} ${signedInAs === undefined ? undefined : continueLink(view, signedInAs)}
      ${renderForms(view)}`,
  )
}

function continueLink({ language, callbackUrl }: SignInView, signedInAs: string): Markup {
  const { messages } = language
  return html`<p role="status">${fillIsolated(messages.signedInAs, signedInAs)}</p>
    <a class="button primary" href="${callbackUrl}">${messages.continue}</a>
    <p class="or">${messages.useAnotherAccount}</p>`
}

/**
 * Renders one form per provider: first those with fields, then those that have only a button, or the other way round.
 *
 * @param first Renders a form that comes before those with fields. Default: none
 */
export function providerForms(
  view: SignInView,
  first?: (view: FormView) => Markup,
): readonly (Markup | undefined)[] {
  const { providers, signedInAs, hidden, language } = view
  const isFilled =
    hidden === undefined && providers.some((each) => getCarried(each)?.script !== undefined)
  const toShown = (isMain: boolean): FormView => {
    return { ...view, isFilled, isPrimary: isMain && signedInAs === undefined }
  }
  const buttons = providers.filter((each) => !hasFields(each))
  const forms = [
    ...(first ? [first] : []),
    ...providers.filter(hasFields).map((each) => (shown: FormView) => form(shown, each)),
  ].map((render, index) => render(toShown(index === 0)))
  const isOnly = providers.length === 1 && !first
  const groups = buttons.length === 0 ? [] : [buttonGroup(toShown(isOnly), buttons)]
  const parts = view.providersFirst ? [...groups, ...forms] : [...forms, ...groups]
  return parts.flatMap((part, index) => [index > 0 ? divider(language) : undefined, part])
}

/** Renders what divides the ways of signing in. */
export function divider({ messages }: Language): Markup {
  return html`<p class="or">${messages.or}</p>`
}

function hasFields({ fields }: ShownProvider): boolean {
  return fields !== undefined && Object.keys(fields).length > 0
}

/** From so many providers on, their buttons have two columns, and only their names. */
const MANY = 5

function buttonGroup(view: FormView, providers: readonly ShownProvider[]): Markup {
  const isFolded = providers.filter((each) => !getCarried(each)?.script).length >= MANY
  const forms = providers.map((each) => form({ ...view, isFolded }, each))
  return html`<div class="${isFolded ? 'ways folded' : 'ways'}">${forms}</div>`
}

/** The page as the form of one provider sees it. */
export interface FormView extends SignInView {
  /** Whether the browser can show passkeys in its fields. */
  readonly isFilled: boolean
  readonly isPrimary: boolean
  /** What the form posts in place of fields. */
  readonly known?: Readonly<Record<string, string>>
  /** Whether the main way is another one. */
  readonly isOther?: boolean
  /** Whether only the names of providers are on their buttons. */
  readonly isFolded?: boolean
  readonly step?: 'first' | 'second'
  readonly typedAddress?: { readonly csrfToken: string; readonly email: string }
}

/** Renders the form of a provider, and its links. */
export function form(view: FormView, provider: ShownProvider): Markup {
  const own = getCarried(provider)?.answers?.renderForm?.(view)
  return own ?? html`${providerForm(view, provider)}${renderLinks(view, provider)}`
}

/** Renders the links of a provider on the sign-in page. */
export function renderLinks(
  view: Omit<FormView, 'isFilled' | 'isPrimary'>,
  provider: ShownProvider,
): Markup | undefined {
  return view.hidden ? undefined : getCarried(provider)?.answers?.renderLinks?.(view)
}

function providerForm(view: FormView, provider: ShownProvider): Markup {
  const { language, isOther = false } = view
  const { messages } = language
  const { id, name, fields = {}, button } = provider
  const isNamed = view.isFolded === true
  const text = button?.(messages, isOther) ?? (isNamed ? name : fill(messages.continueWith, name))
  return html`<form method="post" action="${view.base}/signin/${id}">
    ${hiddenFields({
      csrfToken: view.csrfToken,
      callbackUrl: view.callbackUrl,
      ...view.hidden,
      ...view.known,
    })}
    ${listInputs(view, id, Object.entries(fields))} ${view.beforeButton}
    ${providerButton(view, provider, text)}
  </form>`
}

/** Renders the inputs of a form. The first one that is empty has the focus, else the first one. */
function listInputs(
  view: FormView,
  id: string,
  fields: readonly (readonly [string, ShownField])[],
): readonly Markup[] {
  const typed = view.typed?.providerId === id ? view.typed : undefined
  const isEmpty = ([name, { type, value }]: readonly [string, ShownField]): boolean =>
    value === undefined && (type === 'password' || !typed?.values.get(name))
  const [focused] = (view.isPrimary && (fields.find(isEmpty) ?? fields[0])) || []
  return fields.map(([name, definition]) => {
    const input = { ...view, ...definition, typed, isFocused: name === focused }
    return labelledInput(`${id}_${name}`, name, input)
  })
}

/** What the button of a form needs of the page. */
type ButtonView = Pick<PageContext, 'theme' | 'language'> & {
  /** Default: false */
  readonly isPrimary?: boolean
  /** The id of the provider of the last sign-in in this browser. */
  readonly lastUsed?: string | undefined
}

/** Renders the button of a provider, with its mark. */
export function providerButton(view: ButtonView, provider: MarkedProvider, text: string): Markup {
  return formButton(view, text, provider, (view.theme.marks ?? renderMark)(provider))
}

/** Renders the button of a form: marked, if the last sign-in in this browser was by its provider. */
export function formButton(
  { language, isPrimary = false, lastUsed }: ButtonView,
  text: string,
  provider: Pick<Provider, 'id'> | undefined,
  mark?: Markup,
): Markup {
  const classes = [isPrimary && 'primary', mark && 'mark'].filter(Boolean).join(' ')
  const isLast = provider !== undefined && provider.id === lastUsed
  return html`<button type="submit" ${classes === '' ? undefined : html`class="${classes}"`}>
    ${mark && html`<span aria-hidden="true">${mark}</span>`} ${text}
    ${isLast ? html`<small>${language.messages.lastUsed}</small>` : undefined}
  </button>`
}

interface Input extends ShownField {
  readonly language: Language
  /** What the user typed before. */
  readonly typed: TypedFields | undefined
  readonly isFilled: boolean
  readonly isFocused: boolean
}

/** In the field of a user's name the browser shows passkeys too (WebAuthn §5.1.4). */
function toAutocomplete({ autocomplete, isFilled, value }: Input): string | undefined {
  if (value !== undefined) return 'username'
  const isName = autocomplete === 'email' || autocomplete === 'username'
  return isFilled && isName ? 'username webauthn' : autocomplete
}

/** @param id Unique: a provider's id contains no underscore, so that the ids of two inputs never collide */
export function labelledInput(id: string, name: string, input: Input): Markup {
  const { label, type = 'text', inputMode, maxLength = 255, required = true, typed, value } = input
  const { messages, tag } = input.language
  const shown = value ?? typed?.values.get(name)
  const isMistake = typed?.isMistake && value === undefined
  return html`<label for="${id}">${typeof label === 'string' ? label : label(messages, tag)}</label>
    <input
      ${listAttributes({
        id,
        type,
        name,
        required,
        maxlength: String(maxLength),
        inputmode: inputMode,
        autocomplete: toAutocomplete(input),
        value: type === 'password' ? undefined : shown?.slice(0, maxLength),
        readonly: value !== undefined,
        autofocus: input.isFocused,
      })}
      ${isMistake ? raw(describedByError) : undefined}
    />`
}

/** Renders attributes: those that are undefined or false are left out. */
function listAttributes(
  attributes: Readonly<Record<string, string | boolean | undefined>>,
): readonly (Markup | undefined)[] {
  return Object.entries(attributes).map(([name, value]) => {
    if (value === undefined || value === false) return undefined
    return value === true ? raw(` ${name}`) : html` ${raw(name)}="${value}"`
  })
}
