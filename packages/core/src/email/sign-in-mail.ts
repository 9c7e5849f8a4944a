import { html } from '../pages/html.ts'
import { fill, formatDuration } from '../pages/messages.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Language, MailMessages } from '../ports/messages.ts'
import type { Purpose } from '../ports/provider.ts'
import { mailFrame, mailStyle } from './mail-frame.ts'
import { getMailTexts } from './mail-texts.ts'

/** The content of a sign-in email. */
export interface SignInMail {
  /** The sign-in link. */
  readonly url: string
  /** Eight digits; undefined if the email has no code. */
  readonly code: string | undefined
  /** `link`, `changeEmail` or `confirm` if a signed-in user adds the email address, or confirms that it is them. */
  readonly purpose: Purpose
  /** The service's host, with its port unless that is the default. */
  readonly host: string
  /** Minutes until link and code expire. */
  readonly minutes: number
  /** The language of the browser that requested the email. */
  readonly language: Language
}

/** The written parts of an email. */
export type WrittenMail = Pick<Mail, 'subject' | 'text' | 'html'>

/** Writes a sign-in email, in plain text and in HTML that loads nothing. */
export function writeSignInMail(mail: SignInMail): WrittenMail {
  const { url, code, host, minutes, language, purpose } = mail
  const texts = getMailTexts(language.messages)
  const { subject, text } = toTexts(texts, purpose)
  const lines = {
    title: purpose === 'signIn' ? language.messages.signIn : fill(subject, host),
    text: fill(text, host),
    code: code === undefined ? undefined : texts.code,
    note: fill(texts.note, formatDuration(language.tag, minutes * 60)),
  }
  const parts = [lines.text, url, lines.code, code, lines.note]
  return {
    subject: fill(subject, host),
    text: `${parts.filter((part) => part !== undefined).join('\n\n')}\n`,
    html: renderHtml(mail, lines),
  }
}

function toTexts(texts: MailMessages, purpose: Purpose): Pick<MailMessages, 'subject' | 'text'> {
  if (purpose === 'signIn') return texts
  const { linkSubject, linkText, confirmSubject, confirmText } = texts
  return purpose === 'confirm'
    ? { subject: confirmSubject, text: confirmText }
    : { subject: linkSubject, text: linkText }
}

/** The sentences of an email, filled in. */
interface Lines {
  readonly title: string
  readonly text: string
  readonly code: string | undefined
  readonly note: string
}

function renderHtml({ url, code, language }: SignInMail, lines: Lines): string {
  const codeMarkup =
    code === undefined
      ? undefined
      : html`<p>${lines.code}</p>
      <p style="${mailStyle.code}"><bdi dir="ltr">${code}</bdi></p>`
  return mailFrame(
    language,
    lines.title,
    html`<p>${lines.text}</p>
      <p><a href="${url}" style="${mailStyle.button}">${lines.title}</a></p>
      ${codeMarkup}
      <p style="${mailStyle.small}">${lines.note}</p>
      <p style="${mailStyle.small}"><bdi dir="ltr">${url}</bdi></p>`,
  )
}
