import { parseCookie, stringifySetCookie } from 'cookie'
import type { CookieRow } from './cookies.ts'
import { AuthError } from '../errors.ts'

/** Bytes a cookie's name and value may have together before it is split (I-12). */
const MAX_BYTES = 3900
const MAX_PARTS = 8

/**
 * The cookies of one request and those of its reply. Writing changes what is read afterwards; the
 * reply's `Set-Cookie` lines come from {@link Jar.lines}, one for each name.
 */
export class Jar {
  readonly #cookies: Map<string, string>
  readonly #lines = new Map<string, string>()

  /** @param header The request's `Cookie` header */
  constructor(header: string | null) {
    this.#cookies = header ? parse(header) : new Map()
  }

  /** The value of a cookie, its parts joined; undefined where there is none. */
  get(name: string): string | undefined {
    return this.#cookies.get(name) ?? this.#join(name)
  }

  /** Every cookie that the browser holds, by its name. */
  get all(): ReadonlyMap<string, string> {
    return this.#cookies
  }

  /** The ids of the cookies `<name>.<id>` that the browser holds. */
  ids(name: string): string[] {
    const prefix = `${name}.`
    const ids = new Set<string>()
    for (const held of this.#cookies.keys()) {
      if (held.startsWith(prefix)) ids.add(held.slice(prefix.length).replace(/\.\d$/, ''))
    }
    return [...ids]
  }

  /**
   * Sets a cookie, in parts where it is too long for one, and deletes parts that it no longer has.
   *
   * @param maxAge Seconds, instead of the row's own
   * @throws AuthError `Configuration` where eight parts do not hold it; then nothing is set
   */
  set(row: CookieRow, value: string, maxAge: number | undefined = row.maxAge): void {
    const parts = split(row.name, value)
    this.clear(row)
    for (const [name, part] of parts) this.#write(row, name, part, maxAge)
  }

  /** Deletes a cookie with all its parts, with the attributes it was set with (I-14). */
  clear(row: CookieRow): void {
    for (const name of [row.name, ...partNames(row.name)]) {
      if (this.#cookies.has(name)) this.#write(row, name, '', 0)
    }
  }

  /** Takes back what this request has written of a cookie. */
  forget(row: CookieRow): void {
    for (const name of [row.name, ...partNames(row.name)]) this.#lines.delete(name)
  }

  /** The `Set-Cookie` lines of the reply. */
  lines(): Iterable<string> {
    return this.#lines.values()
  }

  #join(name: string): string | undefined {
    let whole: string | undefined
    for (let i = 0; i < MAX_PARTS; i++) {
      const part = this.#cookies.get(`${name}.${i}`)
      if (part === undefined) break
      whole = (whole ?? '') + part
    }
    return whole
  }

  #write(row: CookieRow, name: string, value: string, maxAge: number | undefined): void {
    if (maxAge === 0) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
    this.#lines.set(name, line(row, name, value, maxAge))
  }
}

function parse(header: string): Map<string, string> {
  // Our values need no decoding, and a foreign one that cannot be decoded is no reason to fail.
  const cookies = parseCookie(header, { decode: (value) => value })
  return new Map(Object.entries(cookies) as [string, string][])
}

function split(name: string, value: string): [string, string][] {
  if (name.length + value.length <= MAX_BYTES) return [[name, value]]
  const size = MAX_BYTES - name.length - '.0'.length
  const parts = Math.ceil(value.length / size)
  if (parts > MAX_PARTS) {
    throw new AuthError('Configuration', `${name}: ${value.length} bytes are too many for a cookie`)
  }
  return partNames(name)
    .slice(0, parts)
    .map((part, i) => [part, value.slice(i * size, (i + 1) * size)])
}

function partNames(name: string): string[] {
  return Array.from({ length: MAX_PARTS }, (_, i) => `${name}.${i}`)
}

function line(row: CookieRow, name: string, value: string, maxAge: number | undefined): string {
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
