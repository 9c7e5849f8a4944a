import { html } from '@latchkey/core/capability'
import {
  fill,
  formatDuration,
  getMailTexts,
  mailFrame,
  mailStyle,
} from '@latchkey/core/capability/pages'
import { getPasswordTexts } from '../pages/passwords.ts'
import type { Language, WrittenMail } from '@latchkey/core'

/**
 * What an email of the passwords is for. `create`: no user has proven the email address · `reset`: its user can choose
 * another password · `elsewhere`: its user first signs in by another way · `prove`: the password was right, and the email address
 * is not proven yet
 */
export type PasswordMailKind = 'create' | 'reset' | 'elsewhere' | 'prove'

/** The content of an email of the passwords. */
export interface PasswordMail {
  readonly kind: PasswordMailKind
  /** The link; of `elsewhere` the URL of the sign-in page. */
  readonly url: string
  /** The names of the providers by which the user can sign in. */
  readonly ways: readonly string[]
  /** The service's host, with its port unless that is the default. */
  readonly host: string
  /** Minutes until the link expires. */
  readonly minutes: number
  /** The language of the browser that requested the email. */
  readonly language: Language
}

/** Writes an email of the passwords, in plain text and in HTML that loads nothing. */
export function writePasswordMail(mail: PasswordMail): WrittenMail {
  const { kind, url, ways, host, minutes, language } = mail
  const { messages, tag } = language
  const texts = getPasswordTexts(messages).mails
  const { subject, text, button } = texts[kind]
  const list = new Intl.ListFormat(tag, { type: 'disjunction' }).format(ways)
  const lead = fill(text, host)
  const further = ways.length > 0 ? fill(texts.ways, list) : undefined
  const note =
    kind === 'elsewhere'
      ? texts.ignore
      : fill(getMailTexts(messages).note, formatDuration(tag, minutes * 60))
  const parts = [lead, url, further, note]
  return {
    subject: fill(subject, host),
    text: `${parts.filter((part) => part !== undefined).join('\n\n')}\n`,
    html: mailFrame(
      language,
      fill(subject, host),
      html`<p>${lead}</p>
        <p><a href="${url}" style="${mailStyle.button}">${button}</a></p>
        ${further === undefined ? undefined : html`<p>${further}</p>`}
        <p style="${mailStyle.small}">${note}</p>
        <p style="${mailStyle.small}"><bdi dir="ltr">${url}</bdi></p>`,
    ),
  }
}
