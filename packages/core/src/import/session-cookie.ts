import { ConfigurationError } from '../lib/errors.ts'
import type {
  ImportContext,
  ImportCookie,
  ImportedSession,
  ImportedToken,
} from '../ports/import-source.ts'

/** The options of the importers of next-auth and Auth.js. */
export type ImportOptions = SharedOptions & (JwtOptions | DatabaseOptions)

/** Sessions that are encrypted in the cookie. */
interface JwtOptions {
  /** Where the previous service kept sessions: `jwt` is in the cookie, its default without an adapter. Default: `jwt` */
  readonly strategy?: 'jwt'
  /** The previous service's secret, or all of its secrets. */
  readonly secret: string | readonly string[]
}

/** Sessions that are rows of a database. */
interface DatabaseOptions {
  /**
   * Where the previous service kept sessions: `database` is in rows, its default with an adapter, which the
   * option `storage` of `createAuth` finds, as `@latchkey/storage-authjs` does. Tokens of a
   * `generateSessionToken` of your own are ignored if they have 43 characters of base64url
   */
  readonly strategy: 'database'
  /** Not needed: the cookie holds the key of the row. */
  readonly secret?: string | readonly string[]
}

interface SharedOptions {
  /** The name of its session cookie, without prefix. Default: its own default */
  readonly cookieName?: string
  /** The domain that its cookies were set with. Default: none */
  readonly domain?: string
  /**
   * Ends importing: from then on these cookies are ignored. Required if no storage keeps revocations,
   * because a copied cookie could otherwise be imported again after a sign-out. Default: never
   */
  readonly until?: Date
  /**
   * Ignores cookies that were issued at this time or later, such as the time when the previous service
   * was switched off. Not for the strategy `database`, whose rows do not say when they were created.
   * Default: none is ignored
   */
  readonly issuedBefore?: Date
  /**
   * Returns what our session carries, given the claims of the previous session, or the fields of the
   * user's row; undefined to ignore the session. Default: all claims except the claims about the token
   * itself (`iat`, `exp`, `nbf`, `jti`) and `email_verified`, which our sessions have only for proven email
   * addresses
   */
  readonly token?: (claims: Readonly<Record<string, unknown>>) => ImportedToken | undefined
}

/**
 * Returns a date option in seconds since 1970.
 *
 * @throws ConfigurationError if it is not a valid date
 */
export function toSeconds(option: string, date: Date | undefined): number | undefined {
  if (date === undefined) return undefined
  const seconds = date instanceof Date ? Math.floor(date.getTime() / 1000) : Number.NaN
  if (!Number.isNaN(seconds)) return seconds
  throw new ConfigurationError(`session.importFrom.${option}`, 'must be a valid Date')
}

/** Returns a cookie, whole or joined of its parts `<name>.0`, `<name>.1`, … in their order. */
export function findCookie(
  { cookies, secure }: ImportContext,
  cookieName: string,
  domain: string | undefined,
): ImportCookie | undefined {
  const name = (secure ? '__Secure-' : '') + cookieName
  const whole = cookies.get(name)
  if (whole !== undefined) return { value: whole, names: [name], domain }
  const index = (part: string): number => Number(part.slice(name.length + 1))
  const names = [...cookies.keys()]
    .filter((held) => held.startsWith(`${name}.`) && /^\d{1,3}$/.test(held.slice(name.length + 1)))
    .toSorted((a, b) => index(a) - index(b))
  if (names.length === 0) return undefined
  return { value: names.map((part) => cookies.get(part) ?? '').join(''), names, domain }
}

/** Returns the session of a token's verified claims; undefined if they name no user or no time. */
export function toImportedSession(
  claims: Readonly<Record<string, unknown>>,
  { token = toToken, issuedBefore }: ImportOptions,
): ImportedSession | undefined {
  const issuedAt = claims['iat']
  if (typeof issuedAt !== 'number') return undefined
  if (issuedBefore && issuedAt >= issuedBefore.getTime() / 1000) return undefined
  const made = token(claims)
  return typeof made?.sub === 'string' && made.sub !== '' ? { token: made, issuedAt } : undefined
}

function toToken(claims: Readonly<Record<string, unknown>>): ImportedToken | undefined {
  const { iat: _, exp: __, nbf: ___, jti: ____, email_verified: _____, sub, ...rest } = claims
  return typeof sub === 'string' ? { ...rest, sub } : undefined
}
