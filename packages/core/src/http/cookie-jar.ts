import { parseCookie } from 'cookie'
import { MAX_PARTS } from './cookies.ts'

/** The cookies of one request. */
export class CookieJar {
  /** Every cookie of the request, by its name as sent. */
  readonly all: ReadonlyMap<string, string>

  /** @param header The request's `Cookie` header */
  constructor(header: string | null) {
    this.all = header ? parse(header) : empty
  }

  /** Returns the value of a cookie, its parts joined; undefined if the request has no such cookie. */
  get(name: string): string | undefined {
    return this.all.get(name) ?? this.#join(name)
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
