import type { Mailer } from '@latchkey/core'
import { mailgun, postmark, resend, sendgrid, ses } from '@latchkey/mail/http'
import type { HttpMailerOptions } from '@latchkey/mail/http'

export const key = 'K3y-that-is-secret'

/** A row for each service: how it is made, and how it answers. */
export interface Sender {
  readonly name: string
  readonly make: (options?: HttpMailerOptions) => Mailer
  readonly accepted: number
  /** A refusal in the service's own form, and what of it belongs into the log. */
  readonly refusal: (reason: string) => { headers?: Record<string, string>; body: unknown }
  readonly code: string | undefined
}

export const senders: readonly Sender[] = [
  {
    name: 'Resend',
    make: (options) => resend({ apiKey: key, ...options }),
    accepted: 200,
    refusal: (message) => ({ body: { statusCode: 422, name: 'validation_error', message } }),
    code: 'validation_error',
  },
  {
    name: 'Postmark',
    make: (options) => postmark({ serverToken: key, ...options }),
    accepted: 200,
    refusal: (message) => ({ body: { ErrorCode: 300, Message: message } }),
    code: '300',
  },
  {
    name: 'SendGrid',
    make: (options) => sendgrid({ apiKey: key, ...options }),
    accepted: 202,
    refusal: (message) => ({ body: { errors: [{ message, field: 'from.email', help: null }] } }),
    code: 'from.email',
  },
  {
    name: 'Mailgun',
    make: (options) => mailgun({ apiKey: key, domain: 'mg.app.example', ...options }),
    accepted: 200,
    refusal: (message) => ({ body: { message } }),
    code: undefined,
  },
  {
    name: 'Amazon SES',
    make: (options) =>
      ses({ region: 'eu-central-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: key, ...options }),
    accepted: 200,
    refusal: (message) => ({
      headers: { 'x-amzn-errortype': 'MessageRejected:http://internal.amazon.com/' },
      body: { message },
    }),
    code: 'MessageRejected',
  },
]
