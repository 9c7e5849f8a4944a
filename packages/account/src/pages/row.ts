import { alert, fill, getWayTexts, providerForms } from '@latchkey/core/capability/pages'
import { getAccountTexts } from '../texts.ts'
import { html, layout } from '@latchkey/core/capability'
import type { AccountForm, Markup } from '@latchkey/core/capability'
import type { Provider } from '@latchkey/core'
import type { RowPage } from '../read-sections.ts'
import { renderFacts, renderForm } from './forms.ts'
import type { AccountView } from './forms.ts'

/** Renders the page on which a user changes or removes one thing: it asks before something is lost. */
export function renderRowPage(view: AccountView, page: RowPage): string {
  const { row, change, removal } = page
  const { removeHeading } = getAccountTexts(view.language.messages)
  const heading = change?.heading ?? removal?.heading ?? fill(removeHeading, row.name)
  const isWrong = change?.inputs?.some(({ name }) => view.typed?.has(name))
  return layout(
    view,
    heading,
    html`<h1>${heading}</h1>
      ${renderFacts(view, row)}
      ${view.message === undefined ? undefined : alert(view.message, isWrong)}
      ${change && renderChange(view, page, change)} ${removal && renderRemoval(view, page, removal)}
      ${renderCancel(view)}`,
  )
}

function renderChange(view: AccountView, { url, key }: RowPage, form: AccountForm): Markup {
  const { save: text } = getAccountTexts(view.language.messages)
  const style = { id: 'change', url, row: key, button: 'primary', text }
  return html`${renderSentence(form.text)} ${renderForm(view, form, style)}`
}

/** Of two forms the other one is the main one. */
function renderRemoval(
  view: AccountView,
  { url, key, change }: RowPage,
  form: AccountForm,
): Markup {
  const { messages } = view.language
  const { remove: text } = getWayTexts(messages)
  const button = change ? 'danger' : 'danger primary'
  const style = { id: 'removal', url, row: key, button, text }
  return html`${renderSentence(form.text ?? getAccountTexts(messages).removeText)} ${renderForm(view, form, style)}`
}

/** Renders the page with a form for each way to sign in that a user can add. */
export function renderAddPage(view: AccountView, providers: readonly Provider[]): string {
  const { addWay } = getAccountTexts(view.language.messages)
  const forms = { providers, callbackUrl: view.url, typed: undefined, signedInAs: '' }
  return layout(
    view,
    addWay,
    html`<h1>${addWay}</h1>
      ${view.message === undefined ? undefined : alert(view.message)}
      ${providerForms({ ...view, ...forms, hidden: { link: 'true' } })} ${renderCancel(view)}`,
  )
}

function renderSentence(text: string | undefined): Markup | undefined {
  return text === undefined ? undefined : html`<p class="muted hint">${text}</p>`
}

function renderCancel({ url, language }: AccountView): Markup {
  return html`<p class="links"><a href="${url}">${language.messages.cancel}</a></p>`
}
