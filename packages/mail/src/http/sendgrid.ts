import type { MailAddress, Mailer } from '@latchkey/core'
import { commonHeaders } from '../mail.ts'
import { checkOptions, mustBeKey, mustBeOneOf, optional } from './options.ts'
import type { HttpMailerOptions } from './options.ts'
import { isObject } from './response-body.ts'
import type { JsonObject } from './response-body.ts'
import { createHttpMailer } from './service.ts'
import type { Refusal } from './service.ts'

/** The options of {@link sendgrid}. */
export interface SendgridOptions extends HttpMailerOptions {
  /** An API key, `SG.…`, with the permission `mail.send`. */
  readonly apiKey: string
  /** The region of the account. Default: `global` */
  readonly region?: 'global' | 'eu'
}

const origins = { global: 'https://api.sendgrid.com', eu: 'https://api.eu.sendgrid.com' }

/** Each of these settings would rewrite links or add to the email. */
const trackingOff = {
  click_tracking: { enable: false, enable_text: false },
  open_tracking: { enable: false },
  subscription_tracking: { enable: false },
  ganalytics: { enable: false },
}

/**
 * Creates a mailer that sends email through Twilio SendGrid, with all tracking off.
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
      acceptedStatus: 202,
      secrets: [apiKey],
      toRequest: ({ to, from, subject, text, html }) => ({
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          personalizations: [{ to: [toEmailObject(to)] }],
          from: toEmailObject(from),
          subject,
          content: [
            { type: 'text/plain', value: text },
            { type: 'text/html', value: html },
          ],
          headers: commonHeaders,
          tracking_settings: trackingOff,
        }),
      }),
      toRefusal: parseFirstError,
    },
    options,
  )
}

function toEmailObject({ address, name }: MailAddress): { email: string; name?: string } {
  return name ? { email: address, name } : { email: address }
}

function parseFirstError({ errors }: JsonObject): Refusal {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  return isObject(first) ? { code: first['field'], reason: first['message'] } : {}
}
