import type { LinksView, Markup, PageContext } from '@latchkey/core/capability'
import type { Messages, PasswordMessages } from '@latchkey/core'
import type { PasswordProblem } from '../password-work.ts'
import {
  getAccountTexts,
  raw,
  alert,
  backLink,
  describedByError,
  fillIsolated,
  fill,
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
          ${view.email === undefined ? undefined : html`value="${view.email}"`}
          ${view.isMistake ? raw(describedByError) : undefined}
        />
        <button type="submit" class="primary">${texts.send}</button>
      </form>
      <p class="links"><a href="${view.signInUrl}">${messages.signIn}</a></p>`,
  )
}

/** Renders the links below the form of a sign-in. They keep the return URL. */
export function renderPasswordLinks(
  { base, callbackUrl, origin, language }: LinksView,
  id: string,
): Markup {
  const { forgot, register } = getPasswordTexts(language.messages)
  const link = (action: string, text: string): Markup => {
    const query = new URLSearchParams({ action, ...(callbackUrl !== origin && { callbackUrl }) })
    return html`<a href="${base}/signin/${id}?${String(query)}">${text}</a>`
  }
  return html`<p class="links">${link('forgot', forgot)}${link('register', register)}</p>`
}

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
      <p class="muted">${fill(texts.chooseText, String(minLength))}</p>
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
        ${view.name === undefined ? undefined : nameInput(view.name, getAccountTexts(messages).name)}
        <label for="password">${texts.newPassword}</label>
        ${newPasswordInput(view)}
        <button type="submit" class="primary">${texts.save}</button>
      </form>
      ${backLink(view)}`,
  )
}

function nameInput(name: string, label: string): Markup {
  return html`<label for="name">${label}</label>
    <input id="name" name="name" value="${name}" required maxlength="255" autocomplete="name" />`
}

/** The rules are for the passwords that browsers and password managers make (passwordrules, by Apple). */
function newPasswordInput({ minLength, message }: ChoiceView): Markup {
  return html`<input
    id="password"
    type="password"
    name="password"
    required
    minlength="${String(minLength)}"
    autocomplete="new-password"
    passwordrules="minlength: ${String(Math.max(minLength, 20))};"
    ${message === undefined ? undefined : raw(describedByError)}
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

/** Returns the texts of the pages and emails of passwords. */
export function getPasswordTexts({ passwords = englishPasswords }: Messages): PasswordMessages {
  return passwords
}

/** The English texts: they are here so that only applications with passwords bundle them. */
export const englishPasswords: PasswordMessages = {
  password: 'Password',
  forgot: 'Forgot your password?',
  forgotText: 'Enter your email address. We send you a link to choose a new password.',
  register: 'Create an account',
  registerText: 'Enter your email address. We send you a link to choose a password.',
  send: 'Send the link',
  choose: 'Choose a password',
  chooseText: 'Use at least {name} characters. Several words that do not belong together are good.',
  newPassword: 'New password',
  save: 'Save the password',
  change: 'Change your password',
  changeText: 'You are then signed out everywhere else.',
  add: 'Add a password',
  tooShort: 'Choose a password of at least {name} characters.',
  tooLong: 'Choose a password of at most {name} characters.',
  unusable: 'This password has characters that cannot be used. Choose another one.',
  breached: 'This password is known from a data breach. Choose another one.',
  otherUser: 'You are signed in as {name}. This page is for another account.',
  needsEmail: 'A password needs a verified email address. Verify yours first.',
  otherBrowser:
    'Open this link in the browser in which you typed your password. If that was not you, close this page: nothing has happened.',
  waysText:
    'Your new password is saved. The following also belongs to your account. Remove what you do not recognise.',
  mails: {
    create: {
      subject: 'Create your account at {name}',
      text: 'Open this link to choose a password for your new account at {name}:',
      button: 'Choose a password',
    },
    reset: {
      subject: 'Choose a new password for {name}',
      text: 'Open this link to choose a new password for your account at {name}:',
      button: 'Choose a new password',
    },
    elsewhere: {
      subject: 'Your account at {name}',
      text: 'You have an account at {name}, without a password. Sign in first; then you can add one:',
      button: 'Sign in',
    },
    prove: {
      subject: 'Verify your email address for {name}',
      text: 'Open this link in the browser in which you have just typed your password for {name}:',
      button: 'Verify the email address',
    },
    ways: 'You can also sign in with {name}.',
    ignore: 'If you did not ask for this email, ignore it.',
  },
}
