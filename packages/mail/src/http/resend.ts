import type { Mailer } from '@latchkey/core'
import { commonHeaders, formatMailbox } from '../mail.ts'
import { checkOptions, mustBeKey } from './options.ts'
import type { HttpMailerOptions } from './options.ts'
import { createHttpMailer } from './service.ts'

/** The options of {@link resend}. */
export interface ResendOptions extends HttpMailerOptions {
  /** An API key, `re_…`, with the permission "sending access". */
  readonly apiKey: string
}

/**
 * Creates a mailer that sends email through Resend. Its tracking is a setting of the domain, not of
 * an email: leave click tracking off, since it sends one-time links through another server.
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
      acceptedStatus: 200,
      secrets: [apiKey],
      toRequest: ({ to, from, subject, text, html }) => ({
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          from: formatMailbox(from),
          to: [formatMailbox(to)],
          subject,
          text,
          html,
          headers: commonHeaders,
        }),
      }),
      toRefusal: ({ name, message }) => ({ code: name, reason: message }),
    },
    options,
  )
}
