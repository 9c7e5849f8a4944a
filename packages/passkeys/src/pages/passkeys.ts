import type { FormView as ProviderView, Markup, PageContext } from '@latchkey/core/capability'
import { html, hiddenFields, layout } from '@latchkey/core/capability'
import { raw, alert, providerButton } from '@latchkey/core/capability/pages'
import { getPasskeyTexts } from '../texts.ts'
import { passkeyScript } from './passkey-script-text.ts'

/** The id of the provider, which is in the paths of its forms (I-56.4). */
const ID = 'passkey'

/** What a form needs of the page. */
type FormView = ProviderView & {
  /** Whether its button is the main one of the page. Default: false */
  readonly isPrimary?: boolean
}

/** What the script reads of a form. */
interface CeremonyForm {
  readonly view: FormView
  readonly kind: 'get' | 'create'
  readonly button: string
  readonly hidden: Readonly<Record<string, string>>
  /** Whether the browser can show passkeys in the fields of the page (`get`), or make one without asking (`create`). */
  readonly isConditional: boolean
}

/** Renders the form that signs in, confirms, or proves a second factor by a passkey; or adds one. */
export function renderPasskeyForm(view: FormView): Markup {
  const texts = getPasskeyTexts(view.language.messages)
  const { hidden = {} } = view
  if (hidden['link'] === 'true') return renderCreateForm(view, texts.add)
  const button = hidden['confirm'] ? texts.confirm : hidden['second'] ? texts.second : texts.signIn
  const isConditional = Object.keys(hidden).length === 0
  return renderForm({ view, kind: 'get', button, hidden, isConditional })
}

function renderCreateForm(view: FormView, button: string, isConditional = false): Markup {
  return renderForm({ view, kind: 'create', button, hidden: { link: 'true' }, isConditional })
}

/**
 * Without a script, or if the browser has no passkeys, the form stays hidden: the other ways remain. The script is inside, so that
 * the style sheet finds the next form beside this one.
 */
function renderForm({ view, kind, button, hidden, isConditional }: CeremonyForm): Markup {
  const { base, csrfToken, callbackUrl, beforeButton, language } = view
  const texts = getPasskeyTexts(language.messages)
  return html`<form
    method="post"
    action="${base}/callback/${ID}"
    hidden
    data-passkey="${kind}"
    data-options="${base}/signin/${ID}"
    data-failed="${texts.failed}"
    data-registered="${texts.registered}"
    data-waiting="${texts.waiting}"
    ${isConditional ? raw('data-conditional') : undefined}
  >
    ${hiddenFields({ csrfToken, callbackUrl, ...hidden, credential: '' })}
    <p role="alert" hidden></p>
    ${beforeButton} ${providerButton(view, { id: ID, type: ID, mark: passkeyMark }, button)} ${renderScript()}
  </form>`
}

/** A fingerprint, in the colour of the text. */
const passkeyMark =
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round">' +
  '<path d="M5 15.5V11a7 7 0 0 1 14 0v3.5M8.5 19c.5-1.5.5-3 .5-5v-3a3 3 0 0 1 6 0v3.5c0 2-.3 4-1 6' +
  'M12 11v4c0 2-.2 3.7-.8 5.5"/></svg>'

function renderScript(): Markup {
  return raw(`<script>${passkeyScript}</script>`)
}

/** Renders what adds a passkey on the account page, and what its script reports to password managers. */
export function renderAddForm(view: FormView, signals: readonly object[]): Markup {
  const { add } = getPasskeyTexts(view.language.messages)
  return html`<div hidden data-signals="${JSON.stringify(signals)}"></div>
    ${renderCreateForm(view, add)}`
}

/** The values of {@link renderCreatePage}. */
export interface CreatePageView extends PageContext {
  /** The absolute URL of the base path. */
  readonly base: string
  readonly csrfToken: string
  readonly callbackUrl: string
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string | undefined
  /** Whether the browser can make a passkey without asking the user. */
  readonly isAutomatic: boolean
}

/** Renders the page on which the user of a session adds a passkey. */
export function renderCreatePage(view: CreatePageView): string {
  const texts = getPasskeyTexts(view.language.messages)
  return layout(
    view,
    texts.create,
    html`<h1>${texts.create}</h1>
      <p class="muted">${texts.createText}</p>
      ${view.message === undefined ? undefined : alert(view.message)}
      ${renderCreateForm({ ...view, isPrimary: true }, texts.create, view.isAutomatic)}
      <p class="links"><a href="${view.callbackUrl}">${texts.notNow}</a></p>`,
  )
}
