import { describedByError, getWayTexts, raw } from '@latchkey/core/capability/pages'
import { hiddenFields, html } from '@latchkey/core/capability'
import type {
  AccountForm,
  AccountInput,
  AccountRow,
  Markup,
  PageContext,
} from '@latchkey/core/capability'

/** What every page of the account needs. */
export interface AccountView extends PageContext {
  /** The absolute URL of the base path. */
  readonly base: string
  /** The absolute URL of the account page. */
  readonly url: string
  /** Returns the absolute URL of the page that a key names. */
  readonly getRowUrl: (key: string | undefined) => string
  readonly csrfToken: string
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string | undefined
  /** Whether a change was just stored. */
  readonly isSaved: boolean
  /** What the scripts of providers are told in addition. */
  readonly gone: object | undefined
  /** What the user has typed, by the names of fields. */
  readonly typed: ReadonlyMap<string, string> | undefined
  /** Formats the days of times. It is slow to create. */
  readonly days: Intl.DateTimeFormat
}

/** How a form is shown. */
interface FormStyle {
  /** Unique on the page: the ids of its fields begin with it. */
  readonly id: string
  /** The page that has the form. */
  readonly url: string
  /** What names that page to the service; undefined for the account page. */
  readonly row?: string | undefined
  /** The classes of its button. */
  readonly button: string
  /** The text of its button, if the form has none. */
  readonly text: string
  /** What the button is about, for screen readers. */
  readonly about?: string
}

/** Renders a form with its fields and its button. */
export function renderForm(view: AccountView, form: AccountForm, style: FormStyle): Markup {
  const { url = view.url, fields, inputs = [], button = style.text } = form
  return html`<form method="post" action="${url}">
    ${hiddenFields({ csrfToken: view.csrfToken, ...toReturn(view, form, style), ...fields })}
    ${inputs.map((input) => renderInput(view, `${style.id}-${input.name}`, input))}
    <button type="submit" class="${style.button}" ${about(button, style.about)}>${button}</button>
  </form>`
}

/** Returns what says where the reply to a form leads. */
function toReturn(
  view: AccountView,
  { url, inputs = [] }: AccountForm,
  style: FormStyle,
): Readonly<Record<string, string>> {
  // What was typed can be wrong: then the page is shown again.
  if (url !== undefined) return { callbackUrl: inputs.length > 0 ? style.url : view.url }
  return style.row === undefined ? {} : { row: style.row }
}

/** Names a button or link that others on the page look like. */
export function about(text: string, name: string | undefined): Markup | undefined {
  return name === undefined ? undefined : html`aria-label="${text}: ${name}"`
}

function renderInput({ typed, message }: AccountView, id: string, input: AccountInput): Markup {
  const { name, label, type = 'text', autocomplete, maxLength = 255, required } = input
  const value = typed?.get(name)?.slice(0, maxLength) ?? input.value ?? ''
  const isWrong = message !== undefined && typed?.has(name)
  return html`<div>
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      type="${type}"
      name="${name}"
      maxlength="${String(maxLength)}"
      value="${value}"
      ${required ? html`required` : undefined}
      ${autocomplete === undefined ? undefined : html`autocomplete="${autocomplete}"`}
      ${isWrong ? raw(describedByError) : undefined}
    />
  </div>`
}

/** Renders what is to be known of a row, and its times. */
export function renderFacts(view: AccountView, row: AccountRow): Markup | undefined {
  const { added, lastUsed } = getWayTexts(view.language.messages)
  const { facts = [], createdAt, lastUsedAt } = row
  const shown = [
    ...facts.map((fact) => (fact === undefined ? undefined : html`<bdi>${fact}</bdi>`)),
    typeof createdAt === 'number' ? fillDay(view, added, createdAt) : undefined,
    typeof lastUsedAt === 'number' ? fillDay(view, lastUsed, lastUsedAt) : undefined,
  ].filter((fact) => fact !== undefined)
  if (shown.length === 0) return undefined
  return html`<p class="muted facts">${shown.map((fact) => html`<span>${fact}</span>`)}</p>`
}

/** Fills a text with the day of a time, in UTC: the browser does not say where it is. A day does not wrap. */
function fillDay({ days }: AccountView, text: string, time: number): Markup {
  const [before = '', after = ''] = text.split('{name}')
  const day = new Date(time * 1000)
  return html`${before}<time datetime="${day.toISOString().slice(0, 10)}">${days.format(day)}</time
    >${after}`
}
