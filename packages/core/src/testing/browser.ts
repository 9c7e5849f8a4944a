import { parseSetCookie } from 'cookie'

/** Answers a request to the service under test. */
export type Door = (request: Request) => Promise<Response>

/** A request as a person's browser makes it. */
export interface Visit {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
  /** Comes from another site: as browsers do, Lax cookies stay at home unless it is a GET navigation. */
  readonly crossSite?: boolean
}

/**
 * A browser for tests: it keeps cookies per origin as RFC 6265bis says, sends requests of the
 * service's origin through the door, and all others over the network. It knows no test framework.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { Browser } from '@latchkey/core/testing/browser'
 *
 *   declare const config: AuthConfig
 *   const { handle } = createAuth(config)
 *   const browser = new Browser(handle, 'http://localhost:3000/api/auth')
 *   const session = await browser.json('/session')
 */
export class Browser {
  readonly #door: Door
  readonly #jars = new Map<string, Map<string, string>>()
  /** The absolute address that paths are relative to. */
  readonly base: string

  constructor(door: Door, base: string) {
    this.#door = door
    this.base = base
  }

  /** The cookies of the service's origin. */
  get cookies(): Map<string, string> {
    return this.jar(new URL(this.base).origin)
  }

  /** The cookies of any origin. */
  jar(origin: string): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>()
    this.#jars.set(origin, jar)
    return jar
  }

  /** Sends one request; redirects are not followed. Paths are relative to the service's base. */
  async visit(target: string, visit: Visit = {}): Promise<Response> {
    const url = new URL(target.startsWith('/') ? this.base + target : target)
    const { method = 'GET', body } = visit
    const headers = new Headers(visit.headers)
    const jar = this.jar(url.origin)
    const withCookies = !visit.crossSite || method === 'GET'
    if (jar.size > 0 && withCookies && !headers.has('cookie')) {
      headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    }
    const init: RequestInit = {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    }
    const own = url.origin === new URL(this.base).origin
    const response = own ? await this.#door(new Request(url, init)) : await fetch(url, init)
    for (const line of response.headers.getSetCookie()) keep(jar, url, line)
    return response
  }

  /** The JSON of a GET. */
  async json(target: string, visit: Visit = {}): Promise<Record<string, unknown>> {
    return (await (await this.visit(target, visit)).json()) as Record<string, unknown>
  }

  /** A token from `/csrf`. */
  async csrfToken(): Promise<string> {
    return (await this.json('/csrf'))['csrfToken'] as string
  }

  /** Posts a form. */
  post(
    target: string,
    fields: Readonly<Record<string, string>>,
    visit: Visit = {},
  ): Promise<Response> {
    return this.visit(target, { ...visit, method: 'POST', body: new URLSearchParams(fields) })
  }

  /** Posts a form with a fresh CSRF token. */
  async submit(
    target: string,
    fields: Readonly<Record<string, string>> = {},
    visit: Visit = {},
  ): Promise<Response> {
    return this.post(target, { csrfToken: await this.csrfToken(), ...fields }, visit)
  }

  /** Follows redirects until an answer is none, or until `stop` says so of the next address. */
  async follow(response: Response, stop: (url: URL) => boolean = () => false): Promise<Response> {
    let current = response
    for (let hops = 0; hops < 20; hops++) {
      const location = current.headers.get('location')
      if (location === null) return current
      const next = new URL(location, current.url || this.base)
      if (stop(next)) return current
      current = await this.visit(next.href)
    }
    throw new Error('more than 20 redirects')
  }
}

/** Keeps or drops one cookie. A cookie that a browser would refuse is an error here. */
function keep(jar: Map<string, string>, url: URL, line: string): void {
  const {
    name,
    value = '',
    maxAge,
    expires,
    secure,
    path,
    domain,
  } = parseSetCookie(line, { decode: (text) => text })
  if (secure && url.protocol !== 'https:') throw new Error(`${name}: Secure over http`)
  if (name.startsWith('__Secure-') && !secure) throw new Error(`${name}: not Secure`)
  if (name.startsWith('__Host-') && (!secure || path !== '/' || domain !== undefined)) {
    throw new Error(`${name}: not as __Host- demands`)
  }
  if (line.length > 4096) throw new Error(`${name}: ${line.length} bytes`)
  const isOver = maxAge === undefined ? expires && expires.getTime() <= Date.now() : maxAge <= 0
  if (isOver) jar.delete(name)
  else jar.set(name, value)
}
