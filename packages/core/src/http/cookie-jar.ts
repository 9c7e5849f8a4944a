import { parseCookie } from 'cookie'
import { MAX_PARTS } from './cookies.ts'

/** The cookies of one request. */
export class CookieJar {
  /** Every cookie of the request, by its name as sent. */
  readonly all: ReadonlyMap<string, string>
  readonly #header: string | null

  /** @param header The request's `Cookie` header */
  constructor(header: string | null) {
    this.#header = header
    this.all = header ? parse(header) : empty
  }

  /** Returns the value of a cookie, its parts joined; undefined if the request has no such cookie. */
  get(name: string): string | undefined {
    return this.all.get(name) ?? this.#join(name)
  }

  /**
   * Returns the values of a cookie that other hosts can set too, in the order sent: the whole ones, then those in
   * parts. Only the service's own host can set one with the prefix `__Host-`, and only once (RFC 6265bis).
   */
  list(name: string): readonly string[] {
    if (!name.startsWith('__Host-')) return [...this.#values(name), ...this.#joinEach(name)]
    const value = this.get(name)
    return value === undefined ? [] : [value]
  }

  /** Returns the ids of the cookies `<name>.<id>`. */
  ids(name: string): string[] {
    const prefix = `${name}.`
    const ids = new Set<string>()
    for (const held of this.all.keys()) {
      if (held.startsWith(prefix)) ids.add(held.slice(prefix.length).replace(/\.\d$/, ''))
    }
    return [...ids]
  }

  #values(name: string): readonly string[] {
    if (!this.all.has(name)) return []
    const pairs = (this.#header ?? '').split(';').map((pair) => pair.trim())
    const named = pairs.filter((pair) => pair.startsWith(`${name}=`))
    return named.map((pair) => pair.slice(name.length + 1))
  }

  /** The n-th of each part belong together. Of a cookie, all parts but the last are as long as the first. */
  #joinEach(name: string): readonly string[] {
    const firsts = this.#values(`${name}.0`)
    const joined = [...firsts]
    let open = joined.map((_, i) => i)
    for (let i = 1; i < MAX_PARTS && open.length > 0; i++) {
      const parts = this.#values(`${name}.${i}`)
      open = open.slice(0, parts.length)
      open.forEach((at, n) => (joined[at] += parts[n] ?? ''))
      open = open.filter((at, n) => parts[n]?.length === firsts[at]?.length)
    }
    return joined
  }

  #join(name: string): string | undefined {
    let whole: string | undefined
    for (let i = 0; i < MAX_PARTS; i++) {
      const part = this.all.get(`${name}.${i}`)
      if (part === undefined) break
      whole = (whole ?? '') + part
    }
    return whole
  }
}

const empty: ReadonlyMap<string, string> = new Map()

function parse(header: string): Map<string, string> {
  // Our values need no decoding, and a foreign value that cannot be decoded must not fail the request.
  const cookies = parseCookie(header, { decode: (value) => value })
  return new Map(Object.entries(cookies) as [string, string][])
}
