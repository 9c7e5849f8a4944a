import type { LinksView, Markup, PageContext } from '@latchkey/core/capability'
import type { Messages } from '@latchkey/core'
import { getPasswordTexts } from '../texts.ts'
import type { PasswordProblem } from '../password-work.ts'
import {
  getWayTexts,
  raw,
  alert,
  backLink,
  describedByError,
  fillIsolated,
  fill,
  toPageUrl,
} from '@latchkey/core/capability/pages'
import { html, hiddenFields, layout } from '@latchkey/core/capability'

/** The form of a page. */
interface FormView extends PageContext {
  /** The URL that the form posts to. */
  readonly url: string
  /** What the form posts besides. */
  readonly hidden: Readonly<Record<string, string>>
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string | undefined
}

/** The values of {@link renderAskPage}. */
export interface AskView extends FormView {
  readonly action: 'register' | 'forgot'
  /** The email address that was typed. */
  readonly email: string | undefined
  /** Whether the message is about the email address. */
  readonly isMistake: boolean
  /** The URL of the sign-in page. */
  readonly signInUrl: string
}

/** Renders the form that asks for a link: for a new account, or for a password that is forgotten (I-55.1). */
export function renderAskPage(view: AskView): string {
  const { messages } = view.language
  const texts = getPasswordTexts(messages)
  const isNew = view.action === 'register'
  const heading = isNew ? texts.register : texts.forgot
  return layout(
    view,
    heading,
    html`<h1>${heading}</h1>
      <p class="muted">${isNew ? texts.registerText : texts.forgotText}</p>
      ${view.message === undefined ? undefined : alert(view.message, view.isMistake)}
      <form method="post" action="${view.url}">
        ${hiddenFields(view.hidden)}
        <label for="email">${messages.email}</label>
        <input
          id="email"
          type="email"
          name="email"
          required
          maxlength="254"
          autocomplete="${isNew ? 'email' : 'username'}"
          autofocus
          ${view.email === undefined ? undefined : html`value="${view.email}"`}
          ${view.isMistake ? raw(describedByError) : undefined}
        />
        <button type="submit" class="primary">${texts.send}</button>
      </form>
      <p class="links"><a href="${view.signInUrl}">${messages.signIn}</a></p>`,
  )
}

/** Renders the links below the form of a sign-in: who has no account yet needs one in the first step, who has one in the second. */
export function renderPasswordLinks(view: LinksView, id: string): Markup {
  const { forgot, newHere, register } = getPasswordTexts(view.language.messages)
  const link = (action: string, text: string): Markup =>
    html`<a href="${toPageUrl(view, `/signin/${id}`, { action })}">${text}</a>`
  if (view.typedAddress) return forgotForm(view, `${view.base}/signin/${id}`, view.typedAddress)
  return html`${
    view.step === 'first' ? undefined : html`<p class="links">${link('forgot', forgot)}</p>`
  }<p class="links muted">${newHere} ${link('register', register)}</p>`
}

/** Sends the link for another password: the address was typed, and is in no URL. */
function forgotForm(
  { callbackUrl, language }: LinksView,
  url: string,
  typed: NonNullable<LinksView['typedAddress']>,
): Markup {
  return html`<form method="post" action="${url}" class="links">
    ${hiddenFields({ ...typed, callbackUrl, action: 'forgot' })}
    <button type="submit">${getPasswordTexts(language.messages).forgot}</button>
  </form>`
}

/** Its button looks like the links of the page. */
export const passwordRules =
  'form.links{margin-top:.75rem}.links button{display:inline-flex;width:auto;min-height:2.75rem;margin:0;padding:0 .25rem;border:0;font-weight:400;color:var(--accent);background:none;text-decoration:underline}'

/** The values of {@link renderChoicePage}. */
export interface ChoiceView extends FormView {
  /** `choose`: by a link · `change`, `add`: in a session, of a user with and without a password */
  readonly heading: 'choose' | 'change' | 'add'
  /** The user name, for password managers. */
  readonly email: string
  /** Characters that a password needs. */
  readonly minLength: number
  /** Another user of the browser's session; undefined if there is none. */
  readonly signedInAs: string | undefined
  /** The name that a new user has typed; undefined if none is asked for. */
  readonly name?: string | undefined
}

/** Renders the form that chooses a password (I-55.2). */
export function renderChoicePage(view: ChoiceView): string {
  const { messages } = view.language
  const texts = getPasswordTexts(messages)
  const { heading, email, minLength, signedInAs, message } = view
  return layout(
    view,
    texts[heading],
    html`<h1>${texts[heading]}</h1>
      <p class="muted" id="rule">${fill(texts.chooseText, String(minLength))}</p>
      ${heading === 'change' ? html`<p class="muted">${texts.changeText}</p>` : undefined}
      ${
        signedInAs === undefined
          ? undefined
          : html`<p role="status">${fillIsolated(texts.otherUser, signedInAs)}</p>`
      }
      ${message === undefined ? undefined : alert(message, true)}
      <form method="post" action="${view.url}">
        ${hiddenFields(view.hidden)}
        <label for="email">${messages.email}</label>
        <input
          id="email"
          type="email"
          name="email"
          value="${email}"
          readonly
          autocomplete="username"
        />
        ${view.name === undefined ? undefined : nameInput(view.name, getWayTexts(messages).name)}
        <label for="password">${texts.newPassword}</label>
        ${newPasswordInput(view)}
        <button type="submit" class="primary">${texts.save}</button>
      </form>
      ${backLink(view)}`,
  )
}

function nameInput(name: string, label: string): Markup {
  return html`<label for="name">${label}</label>
    <input id="name" name="name" value="${name}" required maxlength="255" autocomplete="name" autofocus />`
}

/** The rules are for the passwords that browsers and password managers make (passwordrules, by Apple). */
function newPasswordInput({ minLength, message, name }: ChoiceView): Markup {
  return html`<input
    id="password"
    type="password"
    name="password"
    required
    minlength="${String(minLength)}"
    autocomplete="new-password"
    passwordrules="minlength: ${String(Math.max(minLength, 20))};"
    ${name === undefined || message !== undefined ? raw('autofocus') : undefined}
    ${message === undefined ? raw('aria-describedby="rule"') : raw(describedByError)}
  />`
}

/** Renders the page of a link that works only in another browser (I-55.10). */
export function renderOtherBrowserPage(view: PageContext): string {
  const { messages } = view.language
  return layout(
    view,
    messages.signIn,
    html`<h1>${messages.signIn}</h1>
      <p>${getPasswordTexts(messages).otherBrowser}</p>
      ${backLink(view)}`,
  )
}

/** Returns the sentence of a password that is refused. */
export function toProblemSentence(
  messages: Messages,
  problem: PasswordProblem,
  { minLength, maxLength }: { readonly minLength: number; readonly maxLength: number },
): string {
  const texts = getPasswordTexts(messages)
  return fill(texts[problem], String(problem === 'tooLong' ? maxLength : minLength))
}
