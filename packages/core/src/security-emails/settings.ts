import type { SecurityMail } from '../email/security-mail.ts'
import type { WrittenMail } from '../email/sign-in-mail.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { MailAddress, Mailer } from '../ports/mailer.ts'

/** The options of `securityEmails()`, checked and with its defaults. */
export interface SecuritySettings {
  readonly mailer: Mailer
  readonly from: MailAddress
  readonly write: (mail: SecurityMail) => Awaitable<WrittenMail>
}
