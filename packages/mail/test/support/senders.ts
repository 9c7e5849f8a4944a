import type { Mailer } from '@latchkey/core'
import { mailgun, postmark, resend, sendgrid, ses } from '@latchkey/mail/http'
import type { HttpMailerOptions } from '@latchkey/mail/http'

export const key = 'K3y-that-is-secret'

/** A service: how its sender is created, and how it responds. */
export interface Sender {
  readonly name: string
  readonly create: (options?: HttpMailerOptions) => Mailer
  readonly acceptedStatus: number
  /** Returns a refusal in the service's own format. */
  readonly refusal: (reason: string) => { headers?: Record<string, string>; body: unknown }
  /** The code that the refusal has for the log. */
  readonly code: string | undefined
}

export const senders: readonly Sender[] = [
  {
    name: 'Resend',
    create: (options) => resend({ apiKey: key, ...options }),
    acceptedStatus: 200,
    refusal: (message) => ({ body: { statusCode: 422, name: 'validation_error', message } }),
    code: 'validation_error',
  },
  {
    name: 'Postmark',
    create: (options) => postmark({ serverToken: key, ...options }),
    acceptedStatus: 200,
    refusal: (message) => ({ body: { ErrorCode: 300, Message: message } }),
    code: '300',
  },
  {
    name: 'SendGrid',
    create: (options) => sendgrid({ apiKey: key, ...options }),
    acceptedStatus: 202,
    refusal: (message) => ({ body: { errors: [{ message, field: 'from.email', help: null }] } }),
    code: 'from.email',
  },
  {
    name: 'Mailgun',
    create: (options) => mailgun({ apiKey: key, domain: 'mg.app.example', ...options }),
    acceptedStatus: 200,
    refusal: (message) => ({ body: { message } }),
    code: undefined,
  },
  {
    name: 'Amazon SES',
    create: (options) =>
      ses({ region: 'eu-central-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: key, ...options }),
    acceptedStatus: 200,
    refusal: (message) => ({
      headers: { 'x-amzn-errortype': 'MessageRejected:http://internal.amazon.com/' },
      body: { message },
    }),
    code: 'MessageRejected',
  },
]
