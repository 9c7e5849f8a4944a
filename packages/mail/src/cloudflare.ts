import { ConfigurationError } from '@latchkey/core'
import type { Mailer } from '@latchkey/core'
import { describeType } from './describe-type.ts'
import { commonHeaders, sanitizeMail } from './mail.ts'
import { MailError, redactText, sanitizeCode } from './mail-error.ts'

export { MailError } from './mail-error.ts'
export type { MailErrorOptions } from './mail-error.ts'

/** Cloudflare's `send_email` binding: the method that {@link cloudflare} calls. */
export interface SendEmail {
  send(message: SendEmailMessage): Promise<unknown>
}

/** An email as the binding takes it. */
export interface SendEmailMessage {
  to: string
  from: string | { email: string; name: string }
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/**
 * Creates a mailer that sends email through a `send_email` binding of Cloudflare Workers. The
 * sender's domain must be set up for Email Sending. Names of recipients are left out, since the
 * binding takes their email addresses only.
 *
 * @example
 *   import { cloudflare } from '@latchkey/mail/cloudflare'
 *   import type { SendEmail } from '@latchkey/mail/cloudflare'
 *
 *   interface Env {
 *     readonly MAIL: SendEmail
 *   }
 *
 *   export const createMailer = (env: Env) => cloudflare(env.MAIL)
 *
 * @throws ConfigurationError if the binding has no method `send`; sending rejects with
 *   {@link MailError}
 * @see https://developers.cloudflare.com/email-service/api/send-emails/workers-api/
 */
export function cloudflare(binding: SendEmail): Mailer {
  if (typeof binding?.send !== 'function') {
    const found = describeType(binding)
    throw new ConfigurationError('cloudflare.binding', `must be a send_email binding, got ${found}`)
  }
  return {
    async send(mail) {
      const { to, from, subject, text, html } = sanitizeMail(mail)
      try {
        await binding.send({
          to: to.address,
          from: from.name ? { email: from.address, name: from.name } : from.address,
          subject,
          text,
          html,
          headers: { ...commonHeaders },
        })
      } catch (thrown) {
        throw toMailError(thrown, subject)
      }
    },
  }
}

/** The codes are defined by the Email Service, such as `E_SENDER_NOT_VERIFIED`. */
function toMailError(thrown: unknown, subject: string): MailError {
  const { code: given, message }: { code?: unknown; message?: unknown } = Object(thrown)
  const code = sanitizeCode(given)
  const reason = redactText(typeof message === 'string' ? message : '', [subject])
  const parts = ['Cloudflare refused the email', code, reason]
  return new MailError(parts.filter(Boolean).join(': '), { code })
}
