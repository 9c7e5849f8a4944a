import type { Messages, SecondFactorMessages } from '@latchkey/core'
import type { EnrolmentView } from '../method.ts'
import { html, layout } from '@latchkey/core/capability'
import { raw, alert, fill, providerForms } from '@latchkey/core/capability/pages'
import type { Markup, PageContext } from '@latchkey/core/capability'
import type { SignInView } from '@latchkey/core/capability/pages'

/** The values of {@link renderSecondFactorPage}. */
export interface SecondFactorView extends SignInView {
  /** Where the user can begin anew. */
  readonly cancelUrl: string
  /** How long the browser can spare the second factor, as a text; absent if it cannot. */
  readonly rememberFor?: string | undefined
}

/** Renders the page that asks for a second factor (I-52.5). */
export function renderSecondFactorPage(view: SecondFactorView): string {
  const { messages } = view.language
  const texts = getTexts(messages)
  const beforeButton = view.rememberFor === undefined ? undefined : box(texts, view.rememberFor)
  return layout(
    view,
    texts.heading,
    html`<h1>${texts.heading}</h1>
      <p class="muted">${texts.text}</p>
      ${view.message === undefined ? undefined : alert(view.message, view.typed?.isMistake)}
      ${providerForms({ ...view, ...(beforeButton && { beforeButton }) })}
      <p class="links"><a href="${view.cancelUrl}">${messages.cancel}</a></p>`,
  )
}

function box({ remember }: SecondFactorMessages, duration: string): Markup {
  return html`<label
    ><input type="checkbox" name="remember" value="true" />${fill(remember, duration)}</label
  >`
}

/** Renders the page on which a signed-in user begins to enrol a second factor (I-53.9). */
export function renderChoicePage(view: SignInView): string {
  const { messages } = view.language
  const texts = getTexts(messages)
  return layout(
    view,
    texts.heading,
    html`<h1>${texts.heading}</h1>
      <p class="muted">${texts.required}</p>
      ${view.message === undefined ? undefined : alert(view.message)} ${providerForms(view)}
      <p class="links"><a href="${view.origin}">${messages.cancel}</a></p>`,
  )
}

/** Returns the sentence of a change that is refused. */
export function getConflictSentence(messages: Messages, why: 'changed' | 'tooMany'): string {
  return getTexts(messages)[why]
}

/** Returns the text of a button that begins to enrol. */
export function toEnrolButton(messages: Messages): string {
  return getTexts(messages).enrol
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
  const texts = getTexts(messages)
  const { svg, url, text } = view.shown
  return layout(
    view,
    texts.enrol,
    html`<h1>${texts.enrol}</h1>
      <p class="muted">
        ${view.isRequired ? `${texts.required} ${texts.enrolText}` : texts.enrolText}
      </p>
      ${view.message === undefined ? undefined : alert(view.message, view.typed?.isMistake)}
      <div role="img" aria-label="${texts.picture}">${raw(svg)}</div>
      <p><a class="button" href="${url}">${texts.openApp}</a></p>
      <p>
        ${texts.key}<br /><code><bdi>${text}</bdi></code>
      </p>
      ${providerForms(view)}
      <p class="links"><a href="${view.cancelUrl}">${messages.cancel}</a></p>`,
  )
}

/** The values of {@link renderCodesPage}. */
export interface CodesView extends PageContext {
  readonly codes: readonly string[]
  readonly callbackUrl: string
}

/** Renders the page that shows new recovery codes, once (I-53.3). */
export function renderCodesPage(view: CodesView): string {
  const { messages } = view.language
  const texts = getTexts(messages)
  const items = view.codes.map((code) => html`<li><code>${code}</code></li>`)
  return layout(
    view,
    texts.codes,
    html`<h1>${texts.codes}</h1>
      <p class="muted">${texts.codesText}</p>
      <ol>
        ${items}
      </ol>
      <a class="button primary" href="${view.callbackUrl}">${messages.continue}</a>`,
  )
}

function getTexts({ secondFactor = englishSecondFactor }: Messages): SecondFactorMessages {
  return secondFactor
}

/** The English texts: they are here so that only applications with second factors bundle them. */
export const englishSecondFactor: SecondFactorMessages = {
  heading: 'Second step',
  text: 'Prove with a second factor that it is you.',
  code: 'Code from your authenticator app',
  recoveryCode: 'Recovery code',
  enrol: 'Set up an authenticator app',
  enrolText:
    'Scan the picture with your authenticator app, or type the key into it. Then enter the code that the app shows.',
  required: 'A second factor is required here.',
  picture: 'QR code for your authenticator app',
  openApp: 'Open in an app on this device',
  key: 'Key',
  codes: 'Your recovery codes',
  codesText:
    'Keep these codes in a safe place. Each one replaces your second factor once. They are not shown again.',
  remember: 'Do not ask in this browser for {name}',
  tooMany: 'You have 20 of these. Remove one first.',
  changed: 'This was changed elsewhere. Try again.',
}
