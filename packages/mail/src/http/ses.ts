import type { Mail, Mailer } from '@latchkey/core'
import { AwsV4Signer } from 'aws4fetch'
import { asciiAddressText, headers } from '../mail.ts'
import { checkOptions, mustBeKey, mustMatch, optional } from './options.ts'
import type { HttpMailerOptions } from './options.ts'
import { createHttpMailer } from './service.ts'

/** What {@link ses} takes. */
export interface SesOptions extends HttpMailerOptions {
  /** E.g. `eu-central-1`. */
  readonly region: string
  /** Of somebody who may do `ses:SendEmail`. */
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken?: string
  /** Instead of the sender's default one, e.g. because that tracks clicks. */
  readonly configurationSet?: string
}

/** A label of a host name: a region that would be more of a host name is refused. */
const mustBeLabel = mustMatch('lower-case letters, digits and dashes', /^[a-z0-9-]+$/)

/**
 * Sends mails through Amazon SES (API v2). It tracks opens and clicks only where the configuration
 * set says so: take one that does not.
 *
 * @example
 *   import { ses } from '@latchkey/mail/http'
 *
 *   const mailer = ses({
 *     region: 'eu-central-1',
 *     accessKeyId: 'AKIDEXAMPLE',
 *     secretAccessKey: 'kept-secret',
 *   })
 *
 * @throws ConfigurationError naming the option; sending rejects with `MailError`
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 */
export function ses(options: SesOptions): Mailer {
  checkOptions('ses', options, {
    region: mustBeLabel,
    accessKeyId: mustBeKey,
    secretAccessKey: mustBeKey,
    sessionToken: optional(mustBeKey),
    configurationSet: optional(mustBeKey),
  })
  const { region, accessKeyId, secretAccessKey, sessionToken, configurationSet } = options
  const signer = {
    service: 'ses',
    region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
  }
  return createHttpMailer(
    {
      name: 'Amazon SES',
      origin: `https://email.${region}.amazonaws.com`,
      path: '/v2/email/outbound-emails',
      accepted: 200,
      secrets: [secretAccessKey, sessionToken, accessKeyId],
      async request(mail, { href: url }) {
        const body = JSON.stringify(bodyOf(mail, configurationSet))
        const unsigned = { 'content-type': 'application/json' }
        const request = { method: 'POST', url, headers: unsigned, body }
        return { headers: await signHeaders({ ...request, ...signer }), body }
      },
      refusal: ({ message }, answered) => ({
        code: answered.get('x-amzn-errortype')?.split(':')[0],
        reason: message,
      }),
    },
    options,
  )
}

/**
 * Signs a request with AWS Signature Version 4, all of its headers included.
 *
 * @returns The headers with `x-amz-date`, `authorization`, and the session token if there is one
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function signHeaders(
  request: ConstructorParameters<typeof AwsV4Signer>[0],
): Promise<Record<string, string>> {
  const signed = await new AwsV4Signer({ ...request, allHeaders: true }).sign()
  return Object.fromEntries(signed.headers)
}

function bodyOf({ to, from, subject, text, html }: Mail, set: string | undefined): object {
  return {
    FromEmailAddress: asciiAddressText(from),
    Destination: { ToAddresses: [asciiAddressText(to)] },
    Content: {
      Simple: {
        Subject: textOf(subject),
        Body: { Text: textOf(text), Html: textOf(html) },
        Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
      },
    },
    ...(set !== undefined && { ConfigurationSetName: set }),
  }
}

function textOf(text: string): { readonly Data: string; readonly Charset: string } {
  return { Data: text, Charset: 'UTF-8' }
}
