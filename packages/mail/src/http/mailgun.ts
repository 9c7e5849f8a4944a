import type { Mailer } from '@latchkey/core'
import { addressText, headers } from '../mail.ts'
import { checkOptions, mustBeKey, mustBeOneOf, mustMatch, optional } from './options.ts'
import type { HttpMailerOptions } from './options.ts'
import { createHttpMailer } from './service.ts'

/** What {@link mailgun} takes. */
export interface MailgunOptions extends HttpMailerOptions {
  /** A sending key of the domain is enough. */
  readonly apiKey: string
  /** The domain that mails are sent from, as Mailgun knows it. */
  readonly domain: string
  /** Where the domain is. Default: `us` */
  readonly region?: 'us' | 'eu'
}

const origins = { us: 'https://api.mailgun.net', eu: 'https://api.eu.mailgun.net' }

const mustBeDomain = mustMatch('a domain', /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i)

/**
 * Sends mails through Mailgun, with all tracking off.
 *
 * @example
 *   import { mailgun } from '@latchkey/mail/http'
 *
 *   const mailer = mailgun({ apiKey: 'kept-secret', domain: 'mg.example.com', region: 'eu' })
 *
 * @throws ConfigurationError naming the option; sending rejects with `MailError`
 * @see https://documentation.mailgun.com/docs/mailgun/api-reference/openapi-final/messages
 */
export function mailgun(options: MailgunOptions): Mailer {
  const region = optional(mustBeOneOf(Object.keys(origins)))
  checkOptions('mailgun', options, { apiKey: mustBeKey, domain: mustBeDomain, region })
  const { apiKey, domain } = options
  const credentials = btoa(`api:${apiKey}`)
  return createHttpMailer(
    {
      name: 'Mailgun',
      origin: origins[options.region ?? 'us'],
      path: `/v3/${domain}/messages`,
      accepted: 200,
      secrets: [apiKey, credentials],
      request: ({ to, from, subject, text, html }) => ({
        headers: {
          authorization: `Basic ${credentials}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({
          from: addressText(from),
          to: addressText(to),
          subject,
          text,
          html,
          'o:tracking': 'no',
          'o:tracking-clicks': 'no',
          'o:tracking-opens': 'no',
          ...Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [`h:${name}`, value]),
          ),
        }).toString(),
      }),
      refusal: ({ message }) => ({ reason: message }),
    },
    options,
  )
}
