import type { Mailer } from '@latchkey/core'
import { commonHeaders, formatMailbox } from '../mail.ts'
import { checkOptions, mustBeKey, mustBeOneOf, mustMatch, optional } from './options.ts'
import type { HttpMailerOptions } from './options.ts'
import { createHttpMailer } from './service.ts'

/** The options of {@link mailgun}. */
export interface MailgunOptions extends HttpMailerOptions {
  /** A sending key of the domain, or an API key of the account. */
  readonly apiKey: string
  /** The sending domain, as it is registered at Mailgun. */
  readonly domain: string
  /** The region of the domain. Default: `us` */
  readonly region?: 'us' | 'eu'
}

const origins = { us: 'https://api.mailgun.net', eu: 'https://api.eu.mailgun.net' }

/**
 * Creates a mailer that sends email through Mailgun, with all tracking off.
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
  checkOptions('mailgun', options, {
    apiKey: mustBeKey,
    domain: mustMatch('a domain', /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i),
    region: optional(mustBeOneOf(Object.keys(origins))),
  })
  const { apiKey, domain } = options
  const credentials = btoa(`api:${apiKey}`)
  return createHttpMailer(
    {
      name: 'Mailgun',
      origin: origins[options.region ?? 'us'],
      path: `/v3/${domain}/messages`,
      acceptedStatus: 200,
      secrets: [apiKey, credentials],
      toRequest: ({ to, from, subject, text, html }) => ({
        headers: {
          authorization: `Basic ${credentials}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({
          from: formatMailbox(from),
          to: formatMailbox(to),
          subject,
          text,
          html,
          'o:tracking': 'no',
          'o:tracking-clicks': 'no',
          'o:tracking-opens': 'no',
          ...Object.fromEntries(
            Object.entries(commonHeaders).map(([name, value]) => [`h:${name}`, value]),
          ),
        }).toString(),
      }),
      toRefusal: ({ message }) => ({ reason: message }),
    },
    options,
  )
}
