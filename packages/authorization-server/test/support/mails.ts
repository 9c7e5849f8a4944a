import { accountPages, securityEmails } from '@latchkey/account'
import type { Mail } from '@latchkey/core'
import { serve } from './server.ts'
import type { ServeOptions, TestServer } from './server.ts'

/** A service that sends emails about security. */
export interface MailServer extends TestServer {
  readonly mails: readonly Mail[]
}

/** The subject of the email about a grant that ended by reuse (`applicationReused`). */
export const ended = 'The access of an application to your account at app.example was ended'

/** Creates a service that sends emails about security, and has the account page. */
export function serveMails(options: Pick<ServeOptions, 'server' | 'storage'> = {}): MailServer {
  const mails: Mail[] = []
  const mailer = { send: async (mail: Mail) => void mails.push(mail) }
  const from = 'Example <security@app.example>'
  const others = [accountPages(), securityEmails({ mailer, from })]
  return { ...serve({ ...options, others }), mails }
}
