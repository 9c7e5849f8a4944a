import { parseSetCookie } from 'cookie'

/** A cookie as a browser keeps it (RFC 6265bis §5.5). */
interface Cookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly isHostOnly: boolean
  readonly path: string
  readonly isSecure: boolean
  readonly sameSite: string
  /** Seconds since 1970; infinite for a cookie of the browser's session. */
  readonly expires: number
}

/** The site of the page that sends a request, as `Sec-Fetch-Site` names it. */
export type Site = 'none' | 'same-origin' | 'same-site' | 'cross-site'

/** The cookies of a browser, for all hosts. */
export class CookieJar {
  /** Oldest first: a cookie that is set again keeps its place (RFC 6265bis §5.7). */
  #cookies: readonly Cookie[] = []

  /**
   * Stores or deletes a cookie as a browser does.
   *
   * @param now Seconds since 1970
   * @returns Whether the browser accepts it
   */
  store(line: string, url: URL, now: number): boolean {
    const cookie = parseCookie(line, url, now)
    if (!isAccepted(cookie, url)) return false
    const index = this.#cookies.findIndex((kept) => isSameCookie(kept, cookie))
    if (cookie.expires <= now) this.#cookies = this.#cookies.filter((_, i) => i !== index)
    else if (index < 0) this.#cookies = [...this.#cookies, cookie]
    else this.#cookies = this.#cookies.with(index, cookie)
    return true
  }

  /** Stores a cookie of a host without any check, as an attacker does who controls the connection of an old browser. */
  force(name: string, value: string, { hostname }: URL): void {
    const line = `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax`
    const cookie = parseCookie(line, new URL(`https://${hostname}`), 0)
    this.#cookies = [...this.#cookies.filter((kept) => !isSameCookie(kept, cookie)), cookie]
  }

  /** Returns the `Cookie` header of a request; empty without cookies. `SameSite=Lax` leaves out posts of other sites. */
  getHeader(url: URL, now: number, { site, method }: { site: Site; method: string }): string {
    this.#cookies = this.#cookies.filter(({ expires }) => expires > now)
    const isNavigation = site !== 'cross-site' || method === 'GET'
    const sent = this.#cookies.filter(
      (cookie) => isSentTo(cookie, url) && (isNavigation || cookie.sameSite === 'none'),
    )
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ')
  }

  /** Returns the value that a host has set for itself; undefined if there is none. */
  get(name: string): string | undefined {
    return this.#cookies.find((cookie) => cookie.name === name && cookie.isHostOnly)?.value
  }

  /** Returns names and values of the cookies whose names begin with a text. */
  list(start: string): readonly (readonly [name: string, value: string])[] {
    const found = this.#cookies.filter(({ name }) => name.startsWith(start))
    return found.map(({ name, value }) => [name, value])
  }
}

function parseCookie(line: string, url: URL, now: number): Cookie {
  const parsed = parseSetCookie(line, { decode: (text) => text })
  const { name, value = '', maxAge, expires, secure, path = '/', domain, sameSite } = parsed
  const end = maxAge === undefined ? expires && expires.getTime() / 1000 : now + maxAge
  return {
    name,
    value,
    domain: domain ?? url.hostname,
    isHostOnly: domain === undefined,
    path,
    isSecure: secure === true,
    sameSite: String(sameSite ?? 'lax').toLowerCase(),
    expires: end ?? Infinity,
  }
}

/** Name prefixes as RFC 6265bis §4.1.3 describes them. */
function isAccepted({ name, domain, isHostOnly, path, isSecure }: Cookie, url: URL): boolean {
  if (isSecure && url.protocol !== 'https:') return false
  if (name.startsWith('__Secure-') && !isSecure) return false
  if (name.startsWith('__Host-') && !(isSecure && isHostOnly && path === '/')) return false
  return isHostOnly || url.hostname === domain || url.hostname.endsWith(`.${domain}`)
}

function isSameCookie(one: Cookie, other: Cookie): boolean {
  return (['name', 'domain', 'isHostOnly', 'path'] as const).every((key) => one[key] === other[key])
}

function isSentTo({ domain, isHostOnly, path, isSecure }: Cookie, url: URL): boolean {
  const isHost = url.hostname === domain || (!isHostOnly && url.hostname.endsWith(`.${domain}`))
  return isHost && url.pathname.startsWith(path) && (!isSecure || url.protocol === 'https:')
}
