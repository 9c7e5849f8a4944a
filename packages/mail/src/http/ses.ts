import type { Mail, Mailer } from '@latchkey/core'
import { AwsV4Signer } from 'aws4fetch'
import { commonHeaders, formatAsciiMailbox } from '../mail.ts'
import { checkOptions, mustBeKey, mustMatch, optional } from './options.ts'
import type { HttpMailerOptions } from './options.ts'
import { createHttpMailer } from './service.ts'

/** The options of {@link ses}. */
export interface SesOptions extends HttpMailerOptions {
  /** Such as `eu-central-1`. */
  readonly region: string
  /** The access key of an identity that has the permission `ses:SendEmail`. */
  readonly accessKeyId: string
  /** The secret that belongs to the access key. */
  readonly secretAccessKey: string
  /** The session token, if the credentials are temporary. */
  readonly sessionToken?: string
  /** The name of a configuration set. Default: the set of the sender's identity, which may track clicks */
  readonly configurationSet?: string
}

/**
 * Creates a mailer that sends email through Amazon SES (API v2). SES tracks opens and clicks only if
 * the configuration set enables it: choose one that does not.
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
    // The region becomes a label of the host name.
    region: mustMatch('lower-case letters, digits and dashes', /^[a-z0-9-]+$/),
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
      acceptedStatus: 200,
      secrets: [secretAccessKey, sessionToken, accessKeyId],
      async toRequest(mail, { href: url }) {
        const body = JSON.stringify(toSendEmailRequest(mail, configurationSet))
        const headers = { 'content-type': 'application/json' }
        const request = { method: 'POST', url, headers, body }
        return { headers: await signHeaders({ ...request, ...signer }), body }
      },
      toRefusal: ({ message }, headers) => ({
        code: headers.get('x-amzn-errortype')?.split(':')[0],
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
  const { headers } = await new AwsV4Signer({ ...request, allHeaders: true }).sign()
  return Object.fromEntries(headers)
}

function toSendEmailRequest(
  { to, from, subject, text, html }: Mail,
  configurationSet: string | undefined,
): object {
  return {
    FromEmailAddress: formatAsciiMailbox(from),
    Destination: { ToAddresses: [formatAsciiMailbox(to)] },
    Content: {
      Simple: {
        Subject: toContent(subject),
        Body: { Text: toContent(text), Html: toContent(html) },
        Headers: Object.entries(commonHeaders).map(([Name, Value]) => ({ Name, Value })),
      },
    },
    ...(configurationSet !== undefined && { ConfigurationSetName: configurationSet }),
  }
}

function toContent(text: string): { readonly Data: string; readonly Charset: string } {
  return { Data: text, Charset: 'UTF-8' }
}
