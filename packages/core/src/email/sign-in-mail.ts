import { fill, formatDuration } from '../pages/messages.ts'
import type { MailBrand } from '../ports/mailer.ts'
import type { Language, MailMessages } from '../ports/messages.ts'
import type { Purpose } from '../ports/provider.ts'
import { composeMail } from './compose-mail.ts'
import type { WrittenMail } from './compose-mail.ts'
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
  /** The brand of `theme`. Default: none, and the email names the host */
  readonly brand?: MailBrand | undefined
  /** Minutes until link and code expire. */
  readonly minutes: number
  /** The language of the browser that requested the email. */
  readonly language: Language
}

/** Writes a sign-in email, in plain text and in HTML that loads nothing. */
export function writeSignInMail(mail: SignInMail): WrittenMail {
  const { url, code, host, minutes, language, purpose, brand = { name: host } } = mail
  const { messages, tag } = language
  const texts = getMailTexts(messages)
  const { subject, text } = toTexts(texts, purpose)
  return composeMail({
    language,
    brand,
    subject: fill(subject, brand.name),
    before: [fill(text, brand.name)],
    link: { url, label: purpose === 'signIn' ? messages.signIn : messages.continue },
    code: code === undefined ? undefined : { label: texts.code, value: code },
    note: fill(texts.note, formatDuration(tag, minutes * 60)),
  })
}

function toTexts(texts: MailMessages, purpose: Purpose): Pick<MailMessages, 'subject' | 'text'> {
  if (purpose === 'signIn') return texts
  const { linkSubject, linkText, confirmSubject, confirmText } = texts
  return purpose === 'confirm'
    ? { subject: confirmSubject, text: confirmText }
    : { subject: linkSubject, text: linkText }
}
