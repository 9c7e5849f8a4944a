import type { Mail, Mailer } from '@latchkey/core'
import { createTransport } from 'nodemailer'
import type { SendMailOptions, SMTPPoolOptions } from 'nodemailer'
import { commonHeaders, sanitizeMail } from './mail.ts'
import { MailError, redactText } from './mail-error.ts'
import { parseSmtpOptions } from './smtp-options.ts'
import type { SmtpAuth, SmtpOptions, SmtpSettings } from './smtp-options.ts'

export { MailError } from './mail-error.ts'
export type { MailErrorOptions } from './mail-error.ts'
export type { SmtpAuth, SmtpOptions, SmtpTimeouts, SmtpTls } from './smtp-options.ts'

/** A mailer that keeps connections open. */
export interface SmtpMailer extends Mailer {
  /**
   * Connects and authenticates, and sends nothing.
   *
   * @throws MailError if the server cannot be reached, or refuses TLS, user or password
   */
  verify(): Promise<void>
  /** Closes the connections, busy ones after their email. Sending rejects from then on. */
  close(): void
}

/**
 * Creates a mailer that sends email through an SMTP server. Off loopback the server must offer TLS;
 * its certificate must be valid for the host.
 *
 * @param options `smtp://user:pass@host:587` (STARTTLS), `smtps://user:pass@host` (TLS from the
 *   first byte on), or an object. In a URL the user and the password are percent-encoded, and
 *   `?requireTls=false` allows plain text
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
  const transport = createTransport(toTransportOptions(settings))
  return {
    async send(mail) {
      const safe = sanitizeMail(mail)
      try {
        await transport.sendMail({
          ...toMessage(safe),
          signal: AbortSignal.timeout(settings.timeouts.sending * 1000),
        })
      } catch (thrown) {
        throw toMailError(settings, safe.subject, thrown)
      }
    },
    async verify() {
      try {
        await transport.verify()
      } catch (thrown) {
        throw toMailError(settings, '', thrown)
      }
    },
    close: () => transport.close(),
  }
}

function toTransportOptions(settings: SmtpSettings): SMTPPoolOptions {
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
    tls: toTlsOptions(tls),
    connectionTimeout: connection * 1000,
    dnsTimeout: connection * 1000,
    greetingTimeout: greeting * 1000,
    socketTimeout: socket * 1000,
    ...(auth && { auth: { ...auth } }),
  }
}

function toTlsOptions({
  ca,
  servername,
}: SmtpSettings['tls']): NonNullable<SMTPPoolOptions['tls']> {
  return {
    minVersion: 'TLSv1.2',
    ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }),
    ...(servername !== undefined && { servername }),
  }
}

function toMessage({ to, from, subject, text, html }: Mail): SendMailOptions {
  return {
    // Copies, since nodemailer writes into the objects that it is given.
    to: { address: to.address, name: to.name ?? '' },
    from: { address: from.address, name: from.name ?? '' },
    subject,
    text,
    html,
    headers: { ...commonHeaders },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** The properties of nodemailer's errors. */
interface NodemailerError {
  readonly code?: string
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
  readonly message: string
}

/** What went wrong, by nodemailer's codes. */
const problems: Readonly<Record<string, string>> = {
  EABORT: 'sending took too long',
  EAUTH: 'the server refused user and password',
  ECONNECTION: 'the connection was closed',
  EDNS: 'the host was not found',
  EENVELOPE: 'the server refused the sender or the recipient',
  EMESSAGE: 'the server refused the email',
  EPROTOCOL: 'the server sent an unexpected reply',
  ESOCKET: 'the connection failed',
  ETIMEDOUT: 'the server took too long',
  ETLS: 'TLS is not available',
}

/** Without nodemailer's error as its cause: that has the server's reply and the recipient in it. */
function toMailError(
  { host, port, auth }: SmtpSettings,
  subject: string,
  thrown: unknown,
): MailError {
  const { code, command, response, responseCode: status, message }: NodemailerError = Object(thrown)
  const problem = problems[code ?? ''] ?? 'sending failed'
  const reason = redactText(response ?? message, [...getTransmittedForms(auth), subject])
  const step = [code, command].filter(Boolean).join(', ')
  return new MailError(`${host}:${port}: ${problem} (${step}): ${reason}`, { status, code })
}

/** Returns user and password as they are, and in base64 as AUTH sends them (RFC 4616 §2, LOGIN). */
function getTransmittedForms(auth: SmtpAuth | undefined): string[] {
  if (!auth) return []
  const { user, pass } = auth
  const sent = [`\0${user}\0${pass}`, pass, user]
  return [...sent.map((text) => Buffer.from(text).toString('base64')), pass, user]
}
