import type { Mailer } from '@latchkey/core'
import { addressText, headers } from '../mail.ts'
import { checkOptions, mustBeKey } from './options.ts'
import type { HttpMailerOptions } from './options.ts'
import { createHttpMailer } from './service.ts'

/** What {@link resend} takes. */
export interface ResendOptions extends HttpMailerOptions {
  /** `re_…`; the permission to send is enough. */
  readonly apiKey: string
}

/**
 * Sends mails through Resend. Its tracking is a setting of the domain, not of a mail: leave that of
 * clicks off, which would send one-time links through another server.
 *
 * @example
 *   import { resend } from '@latchkey/mail/http'
 *
 *   const mailer = resend({ apiKey: 're_kept_secret' })
 *
 * @throws ConfigurationError naming the option; sending rejects with `MailError`
 * @see https://resend.com/docs/api-reference/emails/send-email
 */
export function resend(options: ResendOptions): Mailer {
  checkOptions('resend', options, { apiKey: mustBeKey })
  const { apiKey } = options
  return createHttpMailer(
    {
      name: 'Resend',
      origin: 'https://api.resend.com',
      path: '/emails',
      accepted: 200,
      secrets: [apiKey],
      request: ({ to, from, subject, text, html }) => ({
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          from: addressText(from),
          to: [addressText(to)],
          subject,
          text,
          html,
          headers,
        }),
      }),
      refusal: ({ name, message }) => ({ code: name, reason: message }),
    },
    options,
  )
}
