import { ConfigurationError } from '../lib/errors.ts'
import { isLoopback } from './base-url.ts'
import { checkKind } from '../lib/kind.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import { readMember } from '../lib/members.ts'
import { cookieTable } from './cookies.ts'
import type { CookieKey, CookieNames } from './cookies.ts'

/** Another name of a cookie, without prefix. */
interface CookieOptions {
  readonly name?: string
}

/** Other names of the cookies, also of capabilities such as `second`, and the session cookie's domain. */
export interface CookiesOptions extends Readonly<Partial<Record<CookieKey, CookieOptions>>> {
  readonly [key: string]: SessionCookieOptions | undefined
  /** The session cookie's name, and a domain for the hosts of one site. Default: this host only */
  readonly session?: SessionCookieOptions
}

/** The options of the session cookie. */
interface SessionCookieOptions extends CookieOptions {
  /**
   * The `Domain` of the session cookie: the service's host or a domain above it, such as `example.com`,
   * so that applications on other sub-domains have the session. Default: none, and the cookie belongs
   * only to the service's host.
   *
   * Every host below the domain then receives the cookie and can act as the user until the session
   * ends. Each of these hosts can also set the cookie: delete the user's session, or replace it by another
   * one, so that the user works in an account of the attacker. Use it only if all of these hosts are as
   * trusted as the service, including hosts that other companies run or that show files of users.
   */
  readonly domain?: string
}

/**
 * Checks the option `cookies` (I-15).
 *
 * @param origin The service's origin, if it is configured
 * @param added The keys of the cookies of capabilities
 * @throws ConfigurationError naming the option
 */
export function resolveCookieNames(
  cookies: CookiesOptions | undefined,
  origin: string | undefined,
  added: readonly string[] = [],
): CookieNames {
  const keys = [...Object.keys(cookieTable), ...added]
  if (!cookies) return { names: {} }
  checkKnownNames('cookies', cookies, keys)
  for (const key of Object.keys(cookies)) checkCookie(key, cookies[key])
  const names = keys.map((key) => [key, cookies[key]?.name ?? `latchkey.${key}`] as const)
  for (const [key, name] of names) checkCookieName(`cookies.${key}.name`, name)
  checkDistinct(names.map(([, name]) => name))
  const sessionDomain = cookies.session?.domain
  if (sessionDomain !== undefined) checkDomain(sessionDomain, origin)
  return { names: Object.fromEntries(names), sessionDomain }
}

function checkCookie(key: string, value: unknown): void {
  checkKind(`cookies.${key}`, value, 'an object')
  const members = key === 'session' ? ['name', 'domain'] : ['name']
  checkKnownNames(`cookies.${key}`, value, members)
  for (const member of members) {
    checkKind(`cookies.${key}.${member}`, readMember(value, member), 'a string')
  }
}

function checkCookieName(option: string, name: string): void {
  if (!/^[\w!#$%&'*+.^`|~-]{1,64}$/.test(name)) {
    throw new ConfigurationError(option, 'must be a cookie name (RFC 6265 §4.1.1)')
  }
  if (/^__(host|secure)-/i.test(name)) {
    throw new ConfigurationError(option, 'must have no prefix: the service adds its own')
  }
}

/** No name may be a prefix of another: `<name>.<id>`. */
function checkDistinct(names: readonly string[]): void {
  const mixed = names.find((name, i) =>
    names.some((other, j) => i !== j && `${name}.`.startsWith(`${other}.`)),
  )
  if (mixed !== undefined) throw new ConfigurationError('cookies', `the name ${mixed} is taken`)
}

function checkDomain(domain: string, origin: string | undefined): void {
  if (!/^[a-z\d-]+(\.[a-z\d-]+)+$/i.test(domain)) {
    throw new ConfigurationError('cookies.session.domain', 'must be a domain name')
  }
  if (origin === undefined || isLoopback(new URL(origin))) return
  if (`.${new URL(origin).hostname}`.endsWith(`.${domain.toLowerCase()}`)) return
  throw new ConfigurationError(
    'cookies.session.domain',
    'must be the domain of serviceUrl or above',
  )
}
