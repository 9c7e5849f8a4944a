import { ConfigurationError } from '@latchkey/core'
import { checkOptions, isBoolean, isSeconds, must, optional } from './options.ts'
import type { Check } from './options.ts'

/** How {@link smtp} reaches a server. */
export interface SmtpOptions {
  /** The server's name or address. */
  readonly host: string
  /** Default: 465 where `secure` is set, else 587. */
  readonly port?: number
  /** TLS from the first byte on, instead of by STARTTLS. Default: true for port 465 */
  readonly secure?: boolean
  /** Default: none, as for a server that knows its clients by their addresses. */
  readonly auth?: SmtpAuth
  /**
   * Whether a server without STARTTLS is refused: else the password and the links would travel in
   * clear text. Default: true; false for localhost, 127.0.0.1 and ::1, where STARTTLS is not even
   * tried unless this is set
   */
  readonly requireTls?: boolean
  /** What is trusted, where the system's certificates are not enough. */
  readonly tls?: SmtpTls
  /** Whether connections are kept for the next mail. Default: true */
  readonly pool?: boolean
  /** How many connections are open at once; more mails than that wait. Default: 5 */
  readonly maxConnections?: number
  /** How long things may take. */
  readonly timeouts?: SmtpTimeouts
}

/** The account at the server. */
export interface SmtpAuth {
  readonly user: string
  readonly pass: string
}

/** How the server's certificate is checked. That it is checked cannot be switched off. */
export interface SmtpTls {
  /** Certificates in PEM that are trusted in place of the system's: a private authority, or the server's own. */
  readonly ca?: string | readonly string[]
  /** The name that the certificate must have. Default: `host` */
  readonly servername?: string
}

/** In seconds. */
export interface SmtpTimeouts {
  /** Until the connection stands, names looked up. Default: 5 */
  readonly connection?: number
  /** Until the server greets, and until TLS stands. Default: 5 */
  readonly greeting?: number
  /** That a connection may be silent; one that is kept open is closed after that. Default: 30 */
  readonly socket?: number
  /** For one mail altogether, with the wait for a free connection. Default: 10 */
  readonly sending?: number
}

/** The options with nothing left open. */
export interface SmtpSettings extends Required<Omit<SmtpOptions, 'auth' | 'timeouts'>> {
  readonly auth: SmtpAuth | undefined
  readonly timeouts: Required<SmtpTimeouts>
  /** STARTTLS is not tried. */
  readonly ignoreTls: boolean
}

const isText: Check = must((value) => typeof value === 'string' && value !== '', 'must be a text')

function isWhole(most: number): Check {
  const holds = (value: unknown): boolean =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most
  return must(holds, `must be a whole number from 1 to ${most}`)
}

const isObject: Check = must(
  (value) => typeof value === 'object' && value !== null,
  'must be an object',
)

const isCertificates: Check = must(
  (value) =>
    [value].flat().every((pem) => typeof pem === 'string' && pem.includes('BEGIN CERTIFICATE')),
  'must be certificates in PEM',
)

/**
 * Reads the options of {@link smtp}.
 *
 * @throws ConfigurationError naming the option, never its value
 */
export function parseSmtpOptions(given: string | URL | SmtpOptions): SmtpSettings {
  const options = typeof given === 'string' || given instanceof URL ? fromUrl(given) : given
  checkSmtpOptions(options)
  const { host, secure = options.port === 465, port = secure ? 465 : 587 } = options
  const isLocal = ['localhost', '127.0.0.1', '::1'].includes(host)
  const { requireTls = !isLocal, tls = {}, auth, pool = true, maxConnections = 5 } = options
  const timeouts = { connection: 5, greeting: 5, socket: 30, sending: 10, ...options.timeouts }
  const ignoreTls = isLocal && !requireTls
  return { host, port, secure, auth, requireTls, ignoreTls, tls, pool, maxConnections, timeouts }
}

function checkSmtpOptions(options: SmtpOptions): void {
  checkOptions('smtp', options, {
    host: must(
      (value) => typeof value === 'string' && /^[a-z0-9._:-]+$/i.test(value),
      "must be the server's name or address",
    ),
    port: optional(isWhole(65_535)),
    secure: optional(isBoolean),
    auth: optional(isObject),
    requireTls: optional(isBoolean),
    tls: optional(isObject),
    pool: optional(isBoolean),
    maxConnections: optional(isWhole(100)),
    timeouts: optional(isObject),
  })
  if (options.auth) checkOptions('smtp.auth', options.auth, { user: isText, pass: isText })
  checkOptions('smtp.tls', options.tls ?? {}, {
    ca: optional(isCertificates),
    servername: optional(isText),
  })
  checkOptions('smtp.timeouts', options.timeouts ?? {}, {
    connection: optional(isSeconds),
    greeting: optional(isSeconds),
    socket: optional(isSeconds),
    sending: optional(isSeconds),
  })
}

/** `smtp://user:pass@host:587`, with `?requireTls=` where the default is not meant. */
function fromUrl(given: string | URL): SmtpOptions {
  const url = URL.parse(given)
  if (url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:') {
    throw refused('must begin with smtp:// or smtps://')
  }
  if (!['', '/'].includes(url.pathname) || url.hash) {
    throw refused('must have neither path nor fragment; in a password they are percent-encoded')
  }
  const secure = url.protocol === 'smtps:'
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    secure,
    ...(url.port && { port: Number(url.port) }),
    ...authOf(url),
    ...requireTlsOf(url),
  }
}

function authOf({ username, password }: URL): Pick<SmtpOptions, 'auth'> {
  if (!username && !password) return {}
  try {
    return { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }
  } catch {
    throw refused('user and password must be percent-encoded')
  }
}

function requireTlsOf({ searchParams }: URL): Pick<SmtpOptions, 'requireTls'> {
  const unknown = [...searchParams.keys()].find((name) => name !== 'requireTls')
  if (unknown !== undefined) throw refused('has a query other than requireTls')
  const value = searchParams.get('requireTls')
  if (value === null) return {}
  if (!['true', 'false'].includes(value)) throw refused('requireTls must be true or false')
  return { requireTls: value === 'true' }
}

/** Without a word of the URL, which has a password in it. */
function refused(problem: string): ConfigurationError {
  return new ConfigurationError('smtp.url', problem)
}
