import { composeMail, fill, formatDuration, getMailTexts } from '@latchkey/core/capability/pages'
import type { MailBrand } from '@latchkey/core/capability/pages'
import { getPasswordTexts } from '../texts.ts'
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
  /** The brand of `theme`. Default: none, and the email names the host */
  readonly brand?: MailBrand | undefined
  /** Minutes until the link expires. */
  readonly minutes: number
  /** The language of the browser that requested the email. */
  readonly language: Language
}

/** Writes an email of the passwords, in plain text and in HTML that loads nothing. */
export function writePasswordMail(mail: PasswordMail): WrittenMail {
  const { kind, url, ways, host, minutes, language, brand = { name: host } } = mail
  const { messages, tag } = language
  const texts = getPasswordTexts(messages).mails
  const { subject, text, button } = texts[kind]
  const list = new Intl.ListFormat(tag, { type: 'disjunction' }).format(ways)
  return composeMail({
    language,
    brand,
    subject: fill(subject, brand.name),
    before: [fill(text, brand.name)],
    link: { url, label: button },
    after: ways.length > 0 ? [fill(texts.ways, list)] : [],
    note:
      kind === 'elsewhere'
        ? texts.ignore
        : fill(getMailTexts(messages).note, formatDuration(tag, minutes * 60)),
  })
}
