import { stringifySetCookie } from 'cookie'
import { AuthError } from '../errors.ts'
import type { CookieJar } from './cookie-jar.ts'
import { MAX_PARTS } from './cookies.ts'
import type { CookieRow } from './cookies.ts'

/** A cookie that a reply sets or deletes. */
export interface CookieChange {
  readonly row: CookieRow
  /** The cookies to set, by name: the whole value, or its parts. Empty to delete the cookie. */
  readonly parts: readonly (readonly [string, string])[]
  /** Seconds; undefined for a cookie that ends with the browser. */
  readonly maxAge: number | undefined
}

/** Bytes of a cookie's name and value together, above which it is split (I-12). */
const MAX_BYTES = 3900

/**
 * Describes a cookie to set, in parts if it is too long for one (I-12).
 *
 * @param maxAge Seconds. Default: the row's own
 * @throws AuthError `Configuration` if eight parts cannot hold the value
 */
export function setCookie(
  row: CookieRow,
  value: string,
  maxAge: number | undefined = row.maxAge,
): CookieChange {
  return { row, parts: split(row.name, value), maxAge }
}

/** Describes a cookie to delete, with all its parts. */
export function clearCookie(row: CookieRow): CookieChange {
  return { row, parts: [], maxAge: 0 }
}

/**
 * Returns the `Set-Cookie` lines of a reply: of two changes of one cookie the later counts, and what
 * the browser holds of a former value is deleted with the attributes that it was set with (I-14).
 */
export function toSetCookieLines(jar: CookieJar, changes: readonly CookieChange[]): string[] {
  const last = new Map(changes.map((change) => [change.row.name, change]))
  return [...last.values()].flatMap((change) => toLines(jar, change))
}

function toLines(jar: CookieJar, { row, parts, maxAge }: CookieChange): string[] {
  const lines = new Map<string, string>()
  for (const name of [row.name, ...partNames(row.name)]) {
    if (jar.all.has(name)) lines.set(name, toLine(row, name, '', 0))
  }
  for (const [name, part] of parts) lines.set(name, toLine(row, name, part, maxAge))
  return [...lines.values()]
}

function split(name: string, value: string): (readonly [string, string])[] {
  if (name.length + value.length <= MAX_BYTES) return [[name, value]]
  const size = MAX_BYTES - name.length - '.0'.length
  const count = Math.ceil(value.length / size)
  if (count > MAX_PARTS) {
    const message = `${name}: expected at most ${MAX_PARTS * size} bytes, got ${value.length}`
    throw new AuthError('Configuration', message)
  }
  return partNames(name)
    .slice(0, count)
    .map((part, i) => [part, value.slice(i * size, (i + 1) * size)])
}

function partNames(name: string): string[] {
  return Array.from({ length: MAX_PARTS }, (_, i) => `${name}.${i}`)
}

function toLine(row: CookieRow, name: string, value: string, maxAge: number | undefined): string {
  return stringifySetCookie({
    name,
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: row.secure,
    ...(maxAge !== undefined && { maxAge }),
    ...(row.domain !== undefined && { domain: row.domain }),
  })
}
