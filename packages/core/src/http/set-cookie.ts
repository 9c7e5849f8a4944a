import { stringifySetCookie } from 'cookie'
import { toUtf8 } from '../crypto/encoding.ts'
import { AuthError } from '../lib/errors.ts'
import type { CookieJar } from './cookie-jar.ts'
import { MAX_PARTS } from './cookies.ts'
import type { CookieSpec } from './cookies.ts'

/** A cookie that a reply sets or deletes. */
export interface CookieChange {
  readonly spec: CookieSpec
  /** The cookies to set, by name: the whole value, or its parts. Empty to delete the cookie. */
  readonly parts: readonly (readonly [string, string])[]
  /** Seconds; undefined for a cookie that ends with the browser. */
  readonly maxAge: number | undefined
  /** Whether another reply can delete the cookie as well. */
  readonly isSurplus?: true
}

/** Bytes of a cookie's name and value together, above which it is split (I-12). */
const MAX_BYTES = 3900
/** Cookies that one reply deletes: a request can hold any number of them (I-14). */
const MAX_DELETIONS = 10
/** Bytes of a `Set-Cookie` line without name, value and domain. */
const ATTRIBUTES = 'set-cookie: =; Max-Age=34560000; Path=/; HttpOnly; Secure; SameSite=Lax\r\n'
  .length
/** Bytes of the session's cookies: of 12,000, what the CSRF token and `latchkey.ended` leave (I-14). */
const MAX_SESSION_BYTES = 11_500

/**
 * Describes a cookie to set, in parts if it is too long for one. It is `HttpOnly` and `SameSite=Lax`, for every path.
 *
 * @param spec The cookie: of a capability, `getOwnCookie`
 * @param value Without spaces, quotes, commas, semicolons and backslashes, such as what `seal` returns
 * @param maxAge Seconds; undefined until the browser closes. Default: the spec's own
 * @throws AuthError `Configuration` if eight parts cannot hold the value
 */
export function setCookie(
  spec: CookieSpec,
  value: string,
  maxAge: number | undefined = spec.maxAge,
): CookieChange {
  const parts = toParts(spec.name, value)
  if (parts.length <= MAX_PARTS) return { spec, parts, maxAge }
  const message = `${spec.name}: expected at most ${MAX_PARTS} cookies, found ${parts.length}`
  throw new AuthError('Configuration', message)
}

/**
 * Describes the session cookie to set.
 *
 * @param maxAge Seconds
 * @param content What the session carries: an error names the largest members, never their values
 * @throws AuthError `Configuration` if servers would refuse requests with a cookie of its length (I-14)
 */
export function setSessionCookie(
  spec: CookieSpec,
  value: string,
  maxAge: number,
  content: object,
): CookieChange {
  const parts = toParts(spec.name, value)
  const bytes = parts.reduce((sum, [name, part]) => sum + getCookieBytes(name, part), 0)
  if (bytes <= MAX_SESSION_BYTES) return { spec, parts, maxAge }
  const expected = `${spec.name}: expected at most ${MAX_SESSION_BYTES} bytes, found ${bytes}`
  throw new AuthError('Configuration', `${expected}; the largest: ${listLargest(content)}`)
}

/** Returns the bytes of a cookie in the header `Cookie`. */
export function getCookieBytes(name: string, value: string): number {
  return name.length + value.length + '=; '.length
}

/** Names the three largest members, with their bytes as JSON. */
export function listLargest(content: object): string {
  const sizes = Object.entries(content).map(([name, value]): [string, number] => {
    return [name, toUtf8(JSON.stringify(value) ?? '').length]
  })
  const [...largest] = sizes.toSorted((a, b) => b[1] - a[1]).slice(0, 3)
  return largest.map(([name, bytes]) => `${name} (${bytes})`).join(', ')
}

/** Describes a cookie to delete, with all its parts. */
export function clearCookie(spec: CookieSpec): CookieChange {
  return { spec, parts: [], maxAge: 0 }
}

/** Describes a cookie to delete, by this reply or a later one. */
export function clearSurplusCookie(spec: CookieSpec): CookieChange {
  return { ...clearCookie(spec), isSurplus: true }
}

/** Returns the bytes of the headers that set cookies, those that delete some left out. */
export function getSize(changes: readonly CookieChange[]): number {
  const sizes = changes.flatMap(({ spec, parts }) => {
    const domain = spec.domain === undefined ? 0 : '; Domain='.length + spec.domain.length
    return parts.map(([name, part]) => ATTRIBUTES + domain + name.length + part.length)
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}

/**
 * Returns the `Set-Cookie` lines of a reply. Of two changes of one cookie the later counts. What the
 * browser holds of a previous value is deleted with the attributes that it was set with (I-14). Of
 * many deletions the first ones are made; a later reply makes the others.
 */
export function toSetCookieLines(jar: CookieJar, changes: readonly CookieChange[]): string[] {
  if (changes.length === 0) return []
  const last = new Map(changes.map((change) => [change.spec.name, change]))
  const ranked = [...last.values()].toSorted((a, b) => getRank(a) - getRank(b))
  const deleted = ranked.flatMap((change) => toDeletions(jar, change)).slice(0, MAX_DELETIONS)
  const set = ranked.flatMap(({ spec, parts, maxAge }) =>
    parts.map(([name, part]) => toLine(spec, name, part, maxAge)),
  )
  return [...deleted, ...set]
}

/** Parts that stay would be read as parts of the new session. */
function getRank({ spec, isSurplus }: CookieChange): number {
  if (spec.isDeletedFirst) return 0
  return isSurplus ? 2 : 1
}

function toDeletions(jar: CookieJar, { spec, parts }: CookieChange): string[] {
  // A whole cookie is read instead of any parts.
  if (parts[0]?.[0] === spec.name && !spec.isDeletedFirst) return []
  const isStale = (name: string): boolean =>
    jar.all.has(name) && !parts.some(([held]) => held === name)
  const names = [spec.name, ...partNames(spec.name)].filter(isStale)
  const { domain, ...hostOnly } = spec
  // A cookie without the domain has the same name if the domain was configured later.
  const specs = domain === undefined || parts.length > 0 ? [spec] : [spec, hostOnly]
  return specs.flatMap((each) => names.map((name) => toLine(each, name, '', 0)))
}

function toParts(name: string, value: string): (readonly [string, string])[] {
  if (name.length + value.length <= MAX_BYTES) return [[name, value]]
  const size = MAX_BYTES - name.length - '.0'.length
  const count = Math.ceil(value.length / size)
  return Array.from({ length: count }, (_, i) => [
    `${name}.${i}`,
    value.slice(i * size, (i + 1) * size),
  ])
}

/** Returns the names of all parts that a cookie can have. */
export function partNames(name: string): string[] {
  return Array.from({ length: MAX_PARTS }, (_, i) => `${name}.${i}`)
}

function toLine(spec: CookieSpec, name: string, value: string, maxAge: number | undefined): string {
  return stringifySetCookie({
    name,
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: spec.secure,
    ...(maxAge !== undefined && { maxAge }),
    ...(spec.domain !== undefined && { domain: spec.domain }),
  })
}
