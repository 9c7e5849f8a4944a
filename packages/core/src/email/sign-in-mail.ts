import { html } from '../pages/layout.ts'
import { fill } from '../pages/messages.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Language } from '../ports/messages.ts'
import type { Purpose } from '../ports/provider.ts'

/** What a sign-in mail is made of. */
export interface SignInMail {
  /** The link that signs in. */
  readonly url: string
  /** Six digits; undefined where none is offered. */
  readonly code: string | undefined
  /** Whether it signs in, or links the address to the account of whoever asked. */
  readonly purpose: Purpose
  /** The service's host. */
  readonly host: string
  readonly minutes: number
  readonly language: Language
}

/** The parts of a mail that are written. */
export type WrittenMail = Pick<Mail, 'subject' | 'text' | 'html'>

/**
 * Writes a sign-in mail: the same in plain text and in HTML, which loads nothing and keeps its
 * direction whatever the address in it is written in.
 */
export function writeSignInMail(mail: SignInMail): WrittenMail {
  const { url, code, host, minutes, language, purpose } = mail
  const { mail: texts } = language.messages
  const isLink = purpose === 'link'
  const lines = {
    title: isLink ? fill(texts.linkSubject, host) : language.messages.signIn,
    text: fill(isLink ? texts.linkText : texts.text, host),
    code: code === undefined ? undefined : texts.code,
    note: fill(texts.note, String(minutes)),
  }
  const parts = [lines.text, url, lines.code, code, lines.note]
  return {
    subject: fill(isLink ? texts.linkSubject : texts.subject, host),
    text: `${parts.filter((part) => part !== undefined).join('\n\n')}\n`,
    html: document(mail, lines),
  }
}

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

function document({ url, code, language }: SignInMail, lines: Lines): string {
  const { tag, messages } = language
  const typed =
    code !== undefined &&
    html`<p>${lines.code}</p>
      <p style="${style.code}" dir="ltr">${code}</p>`
  return `<!doctype html>
${html`<html lang="${tag}" dir="${messages.direction}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width,initial-scale=1" />
    <title>${lines.title}</title>
  </head>
  <body style="${style.body}">
    <p>${lines.text}</p>
    <p><a href="${url}" style="${style.button}">${lines.title}</a></p>
    ${typed || undefined}
    <p style="${style.small}">${lines.note}</p>
    <p style="${style.small}"><bdi>${url}</bdi></p>
  </body>
</html>`}
`
}
