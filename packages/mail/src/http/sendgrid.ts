import type { MailAddress, Mailer } from '@latchkey/core'
import { headers } from '../mail.ts'
import type { Answer } from './answer.ts'
import { checkOptions, mustBeKey, mustBeOneOf, optional } from './options.ts'
import type { HttpMailerOptions } from './options.ts'
import { createHttpMailer } from './service.ts'
import type { Refusal } from './service.ts'

/** What {@link sendgrid} takes. */
export interface SendgridOptions extends HttpMailerOptions {
  /** `SG.…`; the permission `mail.send` is enough. */
  readonly apiKey: string
  /** Where the account is. Default: `global` */
  readonly region?: 'global' | 'eu'
}

const origins = { global: 'https://api.sendgrid.com', eu: 'https://api.eu.sendgrid.com' }

/** Each of these rewrites links, or adds to the mail. */
const untracked = {
  click_tracking: { enable: false, enable_text: false },
  open_tracking: { enable: false },
  subscription_tracking: { enable: false },
  ganalytics: { enable: false },
}

/**
 * Sends mails through Twilio SendGrid, with all tracking off.
 *
 * @example
 *   import { sendgrid } from '@latchkey/mail/http'
 *
 *   const mailer = sendgrid({ apiKey: 'SG.kept-secret', region: 'eu' })
 *
 * @throws ConfigurationError naming the option; sending rejects with `MailError`
 * @see https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
 */
export function sendgrid(options: SendgridOptions): Mailer {
  const region = optional(mustBeOneOf(Object.keys(origins)))
  checkOptions('sendgrid', options, { apiKey: mustBeKey, region })
  const { apiKey } = options
  return createHttpMailer(
    {
      name: 'SendGrid',
      origin: origins[options.region ?? 'global'],
      path: '/v3/mail/send',
      accepted: 202,
      secrets: [apiKey],
      request: ({ to, from, subject, text, html }) => ({
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          personalizations: [{ to: [personOf(to)] }],
          from: personOf(from),
          subject,
          content: [
            { type: 'text/plain', value: text },
            { type: 'text/html', value: html },
          ],
          headers,
          tracking_settings: untracked,
        }),
      }),
      refusal: firstError,
    },
    options,
  )
}

function personOf({ address, name }: MailAddress): { email: string; name?: string } {
  return name ? { email: address, name } : { email: address }
}

function firstError({ errors }: Answer): Refusal {
  const [error] = Array.isArray(errors) ? (errors as (Answer | null)[]) : []
  return { code: error?.['field'], reason: error?.['message'] }
}
