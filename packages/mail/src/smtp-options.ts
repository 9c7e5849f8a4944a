import { ConfigurationError } from '@latchkey/core'
import * as v from 'valibot'
import { describeType } from './describe-type.ts'

/** The options of {@link smtp}. */
export interface SmtpOptions {
  /** The server's host name or IP address. */
  readonly host: string
  /** From 1 to 65,535. Default: 465 if `secure` is true, otherwise 587 */
  readonly port?: number
  /** Whether TLS begins with the first byte, instead of by STARTTLS. Default: true for port 465 */
  readonly secure?: boolean
  /** The account at the server. Default: none, as for a server that knows clients by IP address */
  readonly auth?: SmtpAuth
  /**
   * Whether a server without STARTTLS is refused: otherwise the password and the links could travel
   * in plain text. Default: true; false for localhost, 127.0.0.1 and ::1, where STARTTLS is not tried
   * unless this is true
   */
  readonly requireTls?: boolean
  /** How the server's certificate is checked. Default: with the certificates of the system */
  readonly tls?: SmtpTls
  /** Whether connections are kept open for the next email. Default: true */
  readonly pool?: boolean
  /** Connections that are open simultaneously, from 1 to 100; further emails wait. Default: 5 */
  readonly maxConnections?: number
  /** The time limits of the steps. Default: see {@link SmtpTimeouts} */
  readonly timeouts?: SmtpTimeouts
}

/** The account at the server: neither text is empty. */
export interface SmtpAuth {
  readonly user: string
  readonly pass: string
}

/** How the server's certificate is checked. The check itself cannot be turned off. */
export interface SmtpTls {
  /**
   * Certificates in PEM that are trusted instead of the system's: of a private authority, or
   * the server's own.
   */
  readonly ca?: string | readonly string[]
  /** The host name that the certificate must be valid for. Default: `host` */
  readonly servername?: string
}

/** Time limits in seconds, each more than 0 and at most 600. */
export interface SmtpTimeouts {
  /** For connecting, from the DNS lookup to the end of STARTTLS. Default: 5 */
  readonly connection?: number
  /** For the greeting and for STARTTLS, within what is left of `connection`. Default: 5 */
  readonly greeting?: number
  /** How long a connection may be silent; an idle one is closed then. Default: 30 */
  readonly socket?: number
  /** For sending one email, the wait for a free connection included. Default: 10 */
  readonly sending?: number
}

/** The options with their defaults. */
export interface SmtpSettings extends Required<Omit<SmtpOptions, 'auth' | 'tls' | 'timeouts'>> {
  readonly auth: SmtpAuth | undefined
  readonly tls: { readonly [Name in keyof SmtpTls]: SmtpTls[Name] | undefined }
  readonly timeouts: Required<SmtpTimeouts>
  /** STARTTLS is not tried. */
  readonly ignoreTls: boolean
}

// The messages say what is expected; `toConfigurationError` adds what was found.
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
 * Parses the options of {@link smtp} and adds the defaults.
 *
 * @throws ConfigurationError naming the option, and no value that may be secret
 */
export function parseSmtpOptions(given: string | URL | SmtpOptions): SmtpSettings {
  const options = typeof given === 'string' || given instanceof URL ? parseUrl(given) : given
  const { output, issues } = v.safeParse(schema, options, { message: describeExpected })
  if (issues) throw toConfigurationError(issues)
  const { secure = output.port === 465, port = secure ? 465 : 587 } = output
  const isLocal = ['localhost', '127.0.0.1', '::1'].includes(output.host)
  const { requireTls = !isLocal } = output
  return { auth: undefined, ...output, secure, port, requireTls, ignoreTls: isLocal && !requireTls }
}

/** Replaces valibot's messages, which contain the value: it may be a secret. */
function describeExpected({ path }: v.BaseIssue<unknown>): string {
  return path ? 'set' : 'an object'
}

function toConfigurationError(
  issues: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]],
): ConfigurationError {
  // An unknown option comes first: it may be the misspelt name of a required one.
  const unknown = issues.find(({ expected }) => expected === 'never')
  const { kind, input, message, path = [] } = unknown ?? issues[0]
  // Numbers are shown only if a number is expected: others may be a password.
  const isNumeric = typeof input === 'number' && (kind === 'validation' || Number.isNaN(input))
  const found = isNumeric ? input : describeType(input)
  return new ConfigurationError(
    ['smtp', ...path.map(({ key }) => key)].join('.'),
    unknown ? 'is unknown' : `must be ${message}, got ${found}`,
  )
}

/** Parses `smtp://user:pass@host:587` and `smtps://…`, with `?requireTls=` to change its default. */
function parseUrl(given: string | URL): SmtpOptions {
  const trimmed = String(given).trim()
  if (!/^smtps?:\/\//i.test(trimmed)) throw createUrlError('must begin with smtp:// or smtps://')
  const url = URL.parse(trimmed)
  if (!url || url.port === '0') {
    throw createUrlError(
      'must have a valid host, and a port from 1 to 65535: percent-encode / ? # @ : in a password',
    )
  }
  if (!['', '/'].includes(url.pathname) || url.hash) {
    throw createUrlError('must have no path and no fragment: percent-encode / and # in a password')
  }
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    secure: url.protocol === 'smtps:',
    ...(url.port && { port: Number(url.port) }),
    ...parseAuth(url),
    ...parseRequireTls(url),
  }
}

function parseAuth({ username, password }: URL): Pick<SmtpOptions, 'auth'> {
  if (!username && !password) return {}
  try {
    return { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }
  } catch {
    throw createUrlError('must have its user and password percent-encoded')
  }
}

function parseRequireTls({ searchParams }: URL): Pick<SmtpOptions, 'requireTls'> {
  const isKnown = [...searchParams.keys()].every((name) => name === 'requireTls')
  if (!isKnown) throw createUrlError('must have no query parameter but requireTls')
  const value = searchParams.get('requireTls')
  if (value === null) return {}
  if (!['true', 'false'].includes(value)) {
    throw createUrlError('must have requireTls=true or requireTls=false in its query')
  }
  return { requireTls: value === 'true' }
}

/** Without any part of the URL: each may belong to a password that is not percent-encoded. */
function createUrlError(problem: string): ConfigurationError {
  return new ConfigurationError('smtp.url', problem)
}
