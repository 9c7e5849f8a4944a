import { consoleMailer } from '@latchkey/mail/console'
import { smtp } from '@latchkey/mail/smtp'

/** Creates what sends emails. "console" prints them in the terminal: for development only. */
export function createMailer() {
  const server = process.env.AUTH_EMAIL_SERVER ?? ''
  return server === 'console' ? consoleMailer() : smtp(server)
}
