import { html } from '../pages/html.ts'
import { fill, formatDuration } from '../pages/messages.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Language, MailMessages } from '../ports/messages.ts'
import type { Purpose } from '../ports/provider.ts'

/** The content of a sign-in email. */
export interface SignInMail {
  /** The sign-in link. */
  readonly url: string
  /** Eight digits; undefined if the email has no code. */
  readonly code: string | undefined
  /** `link` or `confirm` if a signed-in user links the email address, or confirms that it is them. */
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
  const { mail: texts } = language.messages
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
  return purpose === 'link'
    ? { subject: linkSubject, text: linkText }
    : { subject: confirmSubject, text: confirmText }
}

/** The sentences of an email, filled in. */
interface Lines {
  readonly title: string
  readonly text: string
  readonly code: string | undefined
  readonly note: string
}

const style = {
  body: 'margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif',
  button:
    'display:inline-block;padding:12px 24px;border-radius:8px;background:#1d5bb8;color:#ffffff;font-weight:600;text-decoration:none',
  code: 'font:600 28px/1.5 ui-monospace,monospace;letter-spacing:4px',
  small: 'font-size:14px;color:#57606a;overflow-wrap:anywhere',
}

/** Mail programs drop the attributes of `html` and `body`: an element inside repeats language and direction. */
function renderHtml({ url, code, language }: SignInMail, lines: Lines): string {
  const { tag, messages } = language
  const codeMarkup =
    code !== undefined &&
    html`<p>${lines.code}</p>
      <p style="${style.code}"><bdi dir="ltr">${code}</bdi></p>`
  return `<!doctype html>
${html`<html lang="${tag}" dir="${messages.direction}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width,initial-scale=1" />
    <title>${lines.title}</title>
  </head>
  <body style="${style.body}">
    <div lang="${tag}" dir="${messages.direction}">
      <p>${lines.text}</p>
      <p><a href="${url}" style="${style.button}">${lines.title}</a></p>
      ${codeMarkup || undefined}
      <p style="${style.small}">${lines.note}</p>
      <p style="${style.small}"><bdi dir="ltr">${url}</bdi></p>
    </div>
  </body>
</html>`}
`
}
