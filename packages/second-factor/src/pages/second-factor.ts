import type { Messages } from '@latchkey/core'
import { getSecondFactorTexts } from '../texts.ts'
import type { SecondFactorTexts } from '../texts.ts'
import type { EnrolmentView } from '../method.ts'
import { html, layout } from '@latchkey/core/capability'
import { raw, fill, notice, providerForms } from '@latchkey/core/capability/pages'
import type { Markup, PageContext } from '@latchkey/core/capability'
import type { SignInView } from '@latchkey/core/capability/pages'

/** The values of {@link renderSecondFactorPage}. */
export interface SecondFactorView extends SignInView {
  /** Where the user can begin anew. */
  readonly cancelUrl: string
  /** How long the browser can spare the second factor, as a text; absent if it cannot. */
  readonly rememberFor?: string | undefined
  /** The links to the other methods of the user. */
  readonly others: readonly { readonly url: string; readonly text: string }[]
}

/** Renders the page that asks for a second factor (I-52.5). */
export function renderSecondFactorPage(view: SecondFactorView): string {
  const { messages } = view.language
  const texts = getSecondFactorTexts(messages)
  const beforeButton = view.rememberFor === undefined ? undefined : box(texts, view.rememberFor)
  return layout(
    view,
    texts.heading,
    html`<h1>${texts.heading}</h1>
      <p class="muted">${texts.text}</p>
      ${notice(view)} ${providerForms({ ...view, ...(beforeButton && { beforeButton }) })}
      ${view.others.map(({ url, text }) => html`<p class="links"><a href="${url}">${text}</a></p>`)}
      <p class="links"><a href="${view.cancelUrl}">${messages.cancel}</a></p>`,
  )
}

function box({ remember }: SecondFactorTexts, duration: string): Markup {
  return html`<label
    ><input type="checkbox" name="remember" value="true" />${fill(remember, duration)}</label
  >`
}

/** Renders the page on which a signed-in user begins to enrol a second factor (I-53.9). */
export function renderChoicePage(view: SignInView): string {
  const { messages } = view.language
  const texts = getSecondFactorTexts(messages)
  return layout(
    view,
    texts.heading,
    html`<h1>${texts.heading}</h1>
      <p class="muted">${texts.choose}</p>
      ${notice(view)} ${providerForms(view)}
      <p class="links"><a href="${view.origin}">${messages.cancel}</a></p>`,
  )
}

/** Returns the sentence of a change that is refused. */
export function getConflictSentence(messages: Messages, why: 'changed' | 'tooMany'): string {
  return getSecondFactorTexts(messages)[why]
}

/** Returns the text of a button that begins to enrol. */
export function toEnrolButton(messages: Messages): string {
  return getSecondFactorTexts(messages).enrol
}

/** The values of {@link renderEnrolmentPage}. */
export interface EnrolmentPageView extends SignInView {
  readonly shown: EnrolmentView
  /** Whether the sign-in continues only with a second factor. */
  readonly isRequired: boolean
  readonly cancelUrl: string
}

/** Renders the page on which a user enrols a second factor (I-53.2). */
export function renderEnrolmentPage(view: EnrolmentPageView): string {
  const { messages } = view.language
  const texts = getSecondFactorTexts(messages)
  const { svg, url, text } = view.shown
  return layout(
    view,
    texts.enrol,
    html`<h1>${texts.enrol}</h1>
      <p class="muted">
        ${view.isRequired ? `${texts.required} ${texts.enrolText}` : texts.enrolText}
      </p>
      ${notice(view)}
      <div role="img" aria-label="${texts.picture}">${raw(svg)}</div>
      <p><a class="button" href="${url}">${texts.openApp}</a></p>
      <p>
        ${texts.key}<br /><code><bdi>${text}</bdi></code>
      </p>
      ${providerForms(view)}
      <p class="links"><a href="${view.cancelUrl}">${messages.cancel}</a></p>`,
    { isSecret: true },
  )
}

/** The values of {@link renderCodesPage}. */
export interface CodesView extends PageContext {
  readonly codes: readonly string[]
  readonly callbackUrl: string
}

/** Renders the page that shows new recovery codes, once (I-53.3). It goes on once the box is ticked. */
export function renderCodesPage(view: CodesView): string {
  const { messages } = view.language
  const texts = getSecondFactorTexts(messages)
  const lines = view.codes.map((code) => html`<code>${code}</code>\n`)
  const file = encodeURIComponent(view.codes.join('\r\n'))
  return layout(
    view,
    texts.codes,
    html`<h1>${texts.codes}</h1>
      <p class="muted">${texts.codesText}</p>
      <pre class="codes">${lines}</pre>
      <p class="links">
        <a download="recovery-codes.txt" href="data:text/plain;charset=utf-8,${file}"
          >${texts.download}</a
        >
      </p>
      <label><input type="checkbox" />${texts.saved}</label>
      <a class="button primary" href="${view.callbackUrl}">${messages.continue}</a>`,
    { isSecret: true },
  )
}
