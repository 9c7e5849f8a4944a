import { ConfigurationError } from '@latchkey/core'
import * as v from 'valibot'
import { describeType } from './describe-type.ts'

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
export interface SmtpSettings extends Required<Omit<SmtpOptions, 'auth' | 'tls' | 'timeouts'>> {
  readonly auth: SmtpAuth | undefined
  readonly tls: { readonly [Name in keyof SmtpTls]: SmtpTls[Name] | undefined }
  readonly timeouts: Required<SmtpTimeouts>
  /** STARTTLS is not tried. */
  readonly ignoreTls: boolean
}

// The messages are what is expected: `toConfigurationError` makes sentences of them.
const hostname = v.pipe(v.string(), v.regex(/^[a-z0-9._:-]+$/i))
const range = v.pipe(v.number(), v.gtValue(0), v.maxValue(600))
const pem = v.pipe(v.string(), v.includes('BEGIN CERTIFICATE'))
const flag = v.boolean('true or false')
const text = v.message(v.pipe(v.string(), v.nonEmpty()), 'a non-empty string')
const seconds = v.message(range, 'seconds, more than 0 and at most 600')
const certificates = v.message(v.union([pem, v.array(pem)]), 'certificates in PEM')

function integerUpTo(most: number) {
  const integer = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(most))
  return v.message(integer, `an integer from 1 to ${most}`)
}

const auth = v.strictObject({ user: text, pass: text })
const tls = v.strictObject({ ca: v.optional(certificates), servername: v.optional(text) })
const timeouts = v.strictObject({
  connection: v.optional(seconds, 5),
  greeting: v.optional(seconds, 5),
  socket: v.optional(seconds, 30),
  sending: v.optional(seconds, 10),
})
const schema = v.strictObject({
  host: v.message(hostname, 'a host name or an IP address'),
  port: v.optional(integerUpTo(65_535)),
  secure: v.optional(flag),
  auth: v.optional(auth),
  requireTls: v.optional(flag),
  tls: v.optional(tls, {}),
  pool: v.optional(flag, true),
  maxConnections: v.optional(integerUpTo(100), 5),
  timeouts: v.optional(timeouts, {}),
})

/**
 * Reads the options of {@link smtp}.
 *
 * @throws ConfigurationError naming the option, never its value
 */
export function parseSmtpOptions(given: string | URL | SmtpOptions): SmtpSettings {
  const options = typeof given === 'string' || given instanceof URL ? fromUrl(given) : given
  const { output, issues } = v.safeParse(schema, options, { message: describeExpected })
  if (issues) throw toConfigurationError(issues)
  const { secure = output.port === 465, port = secure ? 465 : 587 } = output
  const isLocal = ['localhost', '127.0.0.1', '::1'].includes(output.host)
  const { requireTls = !isLocal } = output
  return { auth: undefined, ...output, secure, port, requireTls, ignoreTls: isLocal && !requireTls }
}

/** Replaces valibot's own messages, which have the value in them: it may be a secret. */
function describeExpected({ path }: v.BaseIssue<unknown>): string {
  return path ? 'set' : 'an object'
}

/** An unknown option comes first: it may be the misspelt name of one that must be set. */
function toConfigurationError(issues: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]) {
  const unknown = issues.find(({ expected }) => expected === 'never')
  const { kind, input, message, path = [] } = unknown ?? issues[0]
  const found = kind === 'validation' && typeof input === 'number' ? input : describeType(input)
  return new ConfigurationError(
    ['smtp', ...path.map(({ key }) => key)].join('.'),
    unknown ? 'is unknown' : `must be ${message}, got ${found}`,
  )
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
