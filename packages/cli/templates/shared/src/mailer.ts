import { consoleMailer } from '@latchkey/mail/console'
import { smtp } from '@latchkey/mail/smtp'

const server = process.env.AUTH_EMAIL_SERVER ?? ''

// "console" prints emails in the terminal: for development only.
export const mailer = server === 'console' ? consoleMailer() : smtp(server)
