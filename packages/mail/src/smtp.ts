import type { Mail, Mailer } from '@latchkey/core'
import { createTransport } from 'nodemailer'
import type { SendMailOptions, SMTPPoolOptions } from 'nodemailer'
import { headers, safeMail } from './mail.ts'
import { MailError, fitForLog } from './mail-error.ts'
import { parseSmtpOptions } from './smtp-options.ts'
import type { SmtpAuth, SmtpOptions, SmtpSettings } from './smtp-options.ts'

export { MailError } from './mail-error.ts'
export type { MailErrorOptions } from './mail-error.ts'
export type { SmtpAuth, SmtpOptions, SmtpTimeouts, SmtpTls } from './smtp-options.ts'

/** A mailer with connections of its own. */
export interface SmtpMailer extends Mailer {
  /** Closes the connections, those under way after their mail. Sending then fails. */
  close(): void
}

/**
 * Sends mails through an SMTP server. Off loopback a server without TLS is refused, and so is a
 * certificate that is not valid for the host.
 *
 * @param options `smtp://user:pass@host:587` (STARTTLS), `smtps://user:pass@host` (TLS from the
 *   first byte on), or the same as an object. In a URL user and password are percent-encoded, and
 *   `?requireTls=false` allows clear text
 *
 * @example
 *   import { smtp } from '@latchkey/mail/smtp'
 *
 *   const mailer = smtp({
 *     host: 'smtp.example.com',
 *     auth: { user: 'sign-in', pass: 'kept secret' },
 *   })
 *
 * @throws ConfigurationError naming the option; sending rejects with {@link MailError}
 */
export function smtp(options: string | URL | SmtpOptions): SmtpMailer {
  const settings = parseSmtpOptions(options)
  const transport = createTransport(transportOptions(settings))
  return {
    async send(mail) {
      const safe = safeMail(mail)
      try {
        await transport.sendMail({
          ...messageOf(safe),
          signal: AbortSignal.timeout(settings.timeouts.sending * 1000),
        })
      } catch (thrown) {
        throw failure(settings, safe, thrown as SmtpFailure)
      }
    },
    close: () => transport.close(),
  }
}

function transportOptions(settings: SmtpSettings): SMTPPoolOptions {
  const { host, port, secure, auth, requireTls, ignoreTls, tls, pool, maxConnections } = settings
  const { connection, greeting, socket } = settings.timeouts
  return {
    host,
    port,
    secure,
    requireTLS: requireTls && !secure,
    ignoreTLS: ignoreTls,
    pool,
    maxConnections,
    tls: tlsOf(tls),
    connectionTimeout: connection * 1000,
    dnsTimeout: connection * 1000,
    greetingTimeout: greeting * 1000,
    socketTimeout: socket * 1000,
    ...(auth && { auth: { ...auth } }),
  }
}

function tlsOf({ ca, servername }: SmtpSettings['tls']): NonNullable<SMTPPoolOptions['tls']> {
  return {
    minVersion: 'TLSv1.2',
    ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }),
    ...(servername !== undefined && { servername }),
  }
}

function messageOf({ to, from, subject, text, html }: Mail): SendMailOptions {
  return {
    // nodemailer writes into the objects that it is given.
    to: { address: to.address, name: to.name ?? '' },
    from: { address: from.address, name: from.name ?? '' },
    subject,
    text,
    html,
    headers: { ...headers },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** What nodemailer says of a failure. */
interface SmtpFailure {
  readonly code?: string
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
  readonly message: string
}

/** Whose fault it is, by nodemailer's codes. */
const problems: Readonly<Record<string, string>> = {
  EABORT: 'sending took too long',
  EAUTH: 'the server refused user and password',
  ECONNECTION: 'the connection was closed',
  EDNS: 'the host was not found',
  EENVELOPE: 'the server refused the sender or the recipient',
  EMESSAGE: 'the server refused the mail',
  EPROTOCOL: 'the server did not go on',
  ESOCKET: 'the connection failed',
  ETIMEDOUT: 'the server took too long',
  ETLS: 'TLS could not be had',
}

/** The original is no cause of it: it has the server's words as they came, and the recipient in them. */
function failure({ host, port, auth }: SmtpSettings, mail: Mail, thrown: SmtpFailure): MailError {
  const { code, command, response, responseCode: status, message } = thrown
  const problem = problems[code ?? ''] ?? 'sending failed'
  const words = fitForLog(response ?? message, [...formsOf(auth), mail.subject])
  const at = [code, command].filter(Boolean).join(', ')
  return new MailError(`${host}:${port}: ${problem} (${at}): ${words}`, { status, code })
}

/** What of the account goes over the wire, as it is and in base64 (RFC 4616 §2, and LOGIN). */
function formsOf(auth: SmtpAuth | undefined): string[] {
  if (!auth) return []
  const { user, pass } = auth
  const sent = [`\0${user}\0${pass}`, pass, user]
  return [...sent.map((text) => Buffer.from(text).toString('base64')), pass, user]
}
