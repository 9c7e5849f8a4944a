import { ConfigurationError } from '@latchkey/core'
import type { Mailer } from '@latchkey/core'
import { headers, safeMail } from './mail.ts'
import { MailError, codeForLog, fitForLog } from './mail-error.ts'

export { MailError } from './mail-error.ts'
export type { MailErrorOptions } from './mail-error.ts'

/** Cloudflare's binding `send_email`, as far as it is used here. */
export interface SendEmail {
  send(mail: SendEmailMail): Promise<unknown>
}

/** A mail as the binding takes it. */
export interface SendEmailMail {
  to: string
  from: string | { email: string; name: string }
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/**
 * Sends mails by a binding `send_email` of Cloudflare Workers, for senders of a domain that is set
 * up for Email Sending. The names of recipients are left out: the binding takes their addresses
 * alone.
 *
 * @example
 *   import { cloudflare } from '@latchkey/mail/cloudflare'
 *   import type { SendEmail } from '@latchkey/mail/cloudflare'
 *
 *   interface Env {
 *     readonly MAIL: SendEmail
 *   }
 *
 *   export const mailerOf = (env: Env) => cloudflare(env.MAIL)
 *
 * @throws ConfigurationError where the binding is none; sending rejects with {@link MailError}
 * @see https://developers.cloudflare.com/email-service/api/send-emails/workers-api/
 */
export function cloudflare(binding: SendEmail): Mailer {
  if (typeof binding?.send !== 'function') {
    throw new ConfigurationError('cloudflare.binding', 'must be a binding of the kind send_email')
  }
  return {
    async send(mail) {
      const { to, from, subject, text, html } = safeMail(mail)
      try {
        await binding.send({
          to: to.address,
          from: from.name ? { email: from.address, name: from.name } : from.address,
          subject,
          text,
          html,
          headers: { ...headers },
        })
      } catch (thrown) {
        throw failure(thrown, subject)
      }
    },
  }
}

/** Codes are those of the Email Service, such as `E_SENDER_NOT_VERIFIED`. */
function failure(thrown: unknown, subject: string): MailError {
  const { code: given, message } = Object(thrown) as { code?: unknown; message?: unknown }
  const code = codeForLog(given)
  const reason = fitForLog(typeof message === 'string' ? message : '', [subject])
  const said = [code, reason].filter(Boolean).join(': ')
  return new MailError(`Cloudflare refused the mail: ${said}`.trim(), { code })
}
