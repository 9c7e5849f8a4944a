import type { Mailer } from '@latchkey/core'
import { commonHeaders, formatMailbox } from '../mail.ts'
import { checkOptions, mustBeKey, optional } from './options.ts'
import type { HttpMailerOptions } from './options.ts'
import { createHttpMailer } from './service.ts'

/** The options of {@link postmark}. */
export interface PostmarkOptions extends HttpMailerOptions {
  /** The API token of the server, not of the account. */
  readonly serverToken: string
  /** The ID of a message stream. Default: `outbound`, which every server has */
  readonly messageStream?: string
}

/**
 * Creates a mailer that sends email through Postmark, with the tracking of opens and links off.
 *
 * @example
 *   import { postmark } from '@latchkey/mail/http'
 *
 *   const mailer = postmark({ serverToken: 'kept-secret' })
 *
 * @throws ConfigurationError naming the option; sending rejects with `MailError`
 * @see https://postmarkapp.com/developer/api/email-api
 */
export function postmark(options: PostmarkOptions): Mailer {
  checkOptions('postmark', options, { serverToken: mustBeKey, messageStream: optional(mustBeKey) })
  const { serverToken, messageStream = 'outbound' } = options
  return createHttpMailer(
    {
      name: 'Postmark',
      origin: 'https://api.postmarkapp.com',
      path: '/email',
      acceptedStatus: 200,
      secrets: [serverToken],
      toRequest: ({ to, from, subject, text, html }) => ({
        headers: { 'x-postmark-server-token': serverToken, 'content-type': 'application/json' },
        body: JSON.stringify({
          From: formatMailbox(from),
          To: formatMailbox(to),
          Subject: subject,
          TextBody: text,
          HtmlBody: html,
          MessageStream: messageStream,
          TrackOpens: false,
          TrackLinks: 'None',
          Headers: Object.entries(commonHeaders).map(([Name, Value]) => ({ Name, Value })),
        }),
      }),
      toRefusal: ({ ErrorCode, Message }) => ({ code: ErrorCode, reason: Message }),
    },
    options,
  )
}
