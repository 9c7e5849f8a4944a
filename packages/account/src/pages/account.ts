import { alert, backLink, getWayTexts } from '@latchkey/core/capability/pages'
import { getAccountTexts } from '../texts.ts'
import { html, layout } from '@latchkey/core/capability'
import type { Markup, PageContext, WayLink } from '@latchkey/core/capability'
import type { AccountTexts } from '../texts.ts'
import type { KeyedForm, KeyedRow, Part } from '../read-sections.ts'
import { about, renderFacts, renderForm } from './forms.ts'
import type { AccountView } from './forms.ts'

/** The values of {@link renderAccountPage}. */
export interface WholeView extends AccountView {
  /** In the order of the page. */
  readonly parts: readonly Part[]
  /** Whether forms that need a recent confirmation can be posted now. */
  readonly isRecent: boolean
}

/** Renders the page on which users see and change what the service keeps of them (I-54). */
export function renderAccountPage(view: WholeView): string {
  const { messages } = view.language
  const texts = getAccountTexts(messages)
  const sections = groupParts(view.parts)
  return layout(
    view,
    texts.heading,
    html`<h1>${texts.heading}</h1>
      ${view.message === undefined ? undefined : alert(view.message)}
      ${view.isSaved ? html`<p role="status">${texts.saved}</p>` : undefined}
      <div class="account">
        <nav aria-label="${texts.heading}">
          <ul>
            ${sections.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}
            <li><a href="${view.base}/signout">${messages.signOut}</a></li>
          </ul>
        </nav>
        <div>${sections.map((section) => renderSection(view, texts, section))}</div>
      </div>
      ${backLink(view)}`,
  )
}

/** Renders the page that follows the deletion of an account. */
export function renderDeletedPage(view: PageContext): string {
  const { deleted, deletedText } = getAccountTexts(view.language.messages)
  return layout(
    view,
    deleted,
    html`<h1>${deleted}</h1>
      <p class="muted">${deletedText}</p>
      ${backLink(view)}`,
  )
}

/** The parts of one id. */
interface Section {
  readonly id: string
  readonly heading: string
  readonly parts: readonly Part[]
}

/** Returns the sections that show something, in the order of their first parts. */
function groupParts(parts: readonly Part[]): readonly Section[] {
  const ids = new Set(parts.map(({ id }) => id))
  return [...ids].flatMap((id) => {
    const own = parts.filter((part) => part.id === id)
    const { heading = id } = own.find((part) => part.heading !== undefined) ?? {}
    return own.some(hasContent) ? { id, heading, parts: own } : []
  })
}

function hasContent({ rows, forms, links = [], render }: Part): boolean {
  return rows.length + forms.length + links.length > 0 || render !== undefined
}

function renderSection(
  view: WholeView,
  texts: AccountTexts,
  { id, heading, parts }: Section,
): Markup {
  const text = parts.find((part) => part.text !== undefined)?.text
  const rows = parts.flatMap((part) => part.rows)
  const further = parts.map((part) => part.render?.({ ...view, callbackUrl: view.url }))
  return html`<section id="${id}" aria-labelledby="${id}-heading">
    <h2 id="${id}-heading">${heading}</h2>
    ${text === undefined ? undefined : html`<p class="muted">${text}</p>`}
    ${
      rows.length === 0
        ? undefined
        : html`<ul>
            ${rows.map((row) => renderRow(view, texts, row))}
          </ul>`
    }
    <div class="more">
      ${parts.flatMap((part) => part.forms).map((form) => renderButton(view, texts, form))} ${further}
      ${parts.flatMap(({ links = [] }) => links).map((link) => renderLink(link))}
    </div>
  </section>`
}

function renderRow(view: WholeView, texts: AccountTexts, keyed: KeyedRow): Markup {
  const { row, form } = keyed
  // The label of its field says what it is.
  if (form?.form.inputs) return html`<li class="field">${renderButton(view, texts, form)}</li>`
  return html`<li>
    <div><strong><bdi>${row.name}</bdi></strong> ${renderFacts(view, row)}</div>
    ${row.link && renderLink(row.link, row.name)}
    ${form && renderButton(view, texts, form, row.name)} ${renderPageLink(view, texts, keyed)}
  </li>`
}

/** Renders the link to the page with the forms of a row. */
function renderPageLink(
  { getRowUrl, language }: WholeView,
  { rename }: AccountTexts,
  { row: { name, change, removal }, key }: KeyedRow,
): Markup | undefined {
  if (key === undefined) return undefined
  const text = change ? rename : (removal?.button ?? getWayTexts(language.messages).remove)
  return renderLink({ url: getRowUrl(key), text }, name, change ? 'quiet' : 'quiet danger')
}

/** Without a recent confirmation a form is on a page of its own, which asks for it first. */
function renderButton(
  view: WholeView,
  texts: AccountTexts,
  { form, key }: KeyedForm,
  name?: string,
): Markup {
  const { button = texts.save, needs } = form
  if (needs && !view.isRecent) return renderLink({ url: view.getRowUrl(key), text: button }, name)
  const style = { id: key, url: view.url, button: 'quiet', text: button }
  return renderForm(view, form, name === undefined ? style : { ...style, about: name })
}

function renderLink({ url, text }: WayLink, name?: string, classes = 'quiet'): Markup {
  return html`<a class="button ${classes}" href="${url}" ${about(text, name)}>${text}</a>`
}
