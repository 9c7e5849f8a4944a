import type { SecurityMail } from './security-mail.ts'
import type { WrittenMail, MailAddress, Mailer } from '@latchkey/core'
import type { Awaitable } from '@latchkey/core/capability/options'

/** The options of `securityEmails()`, checked and with its defaults. */
export interface SecuritySettings {
  readonly mailer: Mailer
  readonly from: MailAddress
  readonly write: (mail: SecurityMail) => Awaitable<WrittenMail>
}
