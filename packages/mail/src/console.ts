import type { Mailer } from '@latchkey/core'
import { sanitizeMail } from './mail.ts'

/**
 * Creates a mailer that prints emails instead of sending them, so that sign-in by email works on a
 * developer's machine without a mail server. The link of an email signs in everyone who reads it: do
 * not use it where others read the output, nor in production.
 *
 * @param print Receives the text of each email. Default: `console.log`
 *
 * @example
 *   import { email } from '@latchkey/core/providers/email'
 *   import { consoleMailer } from '@latchkey/mail/console'
 *
 *   const provider = email({ mailer: consoleMailer(), from: 'sign-in@localhost.example' })
 */
export function consoleMailer(print: (text: string) => void = console.log): Mailer {
  return {
    async send(mail) {
      const { to, subject, text } = sanitizeMail(mail)
      print(`\nAn email to ${to.address}, printed and not sent: ${subject}\n\n${text}\n`)
    },
  }
}
