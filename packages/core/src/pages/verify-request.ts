import { html, raw } from './html.ts'
import type { Markup } from './html.ts'
import { backLink, describedByError, fillIsolated, hiddenFields, layout, notice } from './layout.ts'
import type { PageContext } from './layout.ts'

/** The values of {@link renderVerifyRequestPage}. */
export interface VerifyRequestView extends PageContext {
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string | undefined
  /** Whether the message says when the email can be sent again: until then there is no form for it. */
  readonly isLimited: boolean
  /** The URL of the sign-in page. */
  readonly signInUrl: string
  /** The pending sign-in of this browser, if there is one. */
  readonly waiting: PendingSignIn | undefined
}

/** What the page shows of a pending sign-in. */
export interface PendingSignIn {
  /** The recipient of the message. */
  readonly identifier: string
  readonly acceptsCode: boolean
  /** The URL that the code is posted to. */
  readonly action: string
  readonly csrfToken: string
  /** Whether the message was sent before. */
  readonly isResent: boolean
  /** The form that sends the message again, if the provider can. */
  readonly again:
    { readonly action: string; readonly fields: Readonly<Record<string, string>> } | undefined
  /** Whether another recipient can be chosen: not if an email address is being linked. */
  readonly canChange: boolean
}

/** Renders the page "Check your email": the same for known and unknown email addresses (I-29). */
export function renderVerifyRequestPage(view: VerifyRequestView): string {
  const { messages } = view.language
  const { waiting, message } = view
  return layout(
    view,
    messages.checkEmail,
    html`<h1>${messages.checkEmail}</h1>
      <p class="muted">
        ${waiting ? fillIsolated(messages.sentTo, waiting.identifier) : messages.checkEmailText}
      </p>
      ${notice({ message, isStep: view.isLimited, typed: { isMistake: isWrongCode(view) } }) ?? sentAgain(view)}
      ${waiting?.acceptsCode ? codeForm(view, waiting) : undefined}
      ${waiting && !view.isLimited ? againForm(view, waiting) : undefined}
      ${waiting?.canChange === false ? backLink(view) : changeLink(view)}`,
  )
}

function sentAgain({ language, waiting }: VerifyRequestView): Markup | undefined {
  return waiting?.isResent ? html`<p role="status">${language.messages.sentAgain}</p>` : undefined
}

function changeLink({ language, signInUrl }: VerifyRequestView): Markup {
  return html`<p class="links"><a href="${signInUrl}">${language.messages.useAnotherEmail}</a></p>`
}

function againForm({ language }: VerifyRequestView, { again }: PendingSignIn): Markup | undefined {
  const { messages } = language
  return (
    again &&
    html`<p class="muted hint">${messages.noEmail}</p>
      <form method="post" action="${again.action}">
        ${hiddenFields(again.fields)}
        <button type="submit">${messages.sendAgain}</button>
      </form>`
  )
}

function isWrongCode({ message, language }: VerifyRequestView): boolean {
  return message === language.messages.wrongCode
}

/** Eight digits of any script, with spaces and dashes, as the callback reads them (I-31.10). */
const CODE = String.raw`(?:[\s\p{Pd}]*\p{Nd}){8}[\s\p{Pd}]*`

function codeForm(view: VerifyRequestView, { action, csrfToken }: PendingSignIn): Markup {
  const { messages } = view.language
  return html`<form method="post" action="${action}">
    ${hiddenFields({ csrfToken })}
    <label for="code">${messages.code}</label>
    <input
      id="code"
      name="code"
      required
      inputmode="numeric"
      pattern="${CODE}"
      maxlength="32"
      autocomplete="one-time-code"
      autofocus
      dir="ltr"
      ${isWrongCode(view) ? raw(describedByError) : undefined}
    />
    <button type="submit" class="primary">${messages.signIn}</button>
  </form>`
}
