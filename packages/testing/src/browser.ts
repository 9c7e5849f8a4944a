import { parseSetCookie } from 'cookie'

/** Handles a request to the service under test. */
export type Handler = (request: Request) => Promise<Response>

/** A request of a browser. */
export interface VisitOptions {
  /** Default: `GET` */
  readonly method?: string
  /** Additional headers. Default: none */
  readonly headers?: Readonly<Record<string, string>>
  /** The body. Default: none */
  readonly body?: BodyInit
  /** Whether the request comes from another site; then only a GET carries `SameSite=Lax` cookies. */
  readonly crossSite?: boolean
}

/**
 * A browser for tests. It keeps cookies per origin (RFC 6265bis), passes requests of the service's
 * origin to a handler, and sends all others over the network. It depends on no test framework.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { Browser } from '@latchkey/testing/browser'
 *
 *   declare const config: AuthConfig
 *   const { handle } = createAuth(config)
 *   const browser = new Browser(handle, 'http://localhost:3000/api/auth')
 *   const session = await browser.json('/session')
 */
export class Browser {
  readonly #handler: Handler
  readonly #jars = new Map<string, Map<string, string>>()
  /** The absolute URL that paths are relative to. */
  readonly base: string

  constructor(handler: Handler, base: string) {
    this.#handler = handler
    this.base = base
  }

  /** The cookies of the service's origin, by name. */
  get cookies(): Map<string, string> {
    return this.jar(new URL(this.base).origin)
  }

  /** Returns the cookies of an origin, by name. */
  jar(origin: string): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>()
    this.#jars.set(origin, jar)
    return jar
  }

  /**
   * Sends one request without following redirects.
   *
   * @param target A URL, or a path relative to `base`
   * @throws Error if the response sets a cookie that a browser would refuse
   */
  async visit(target: string, options: VisitOptions = {}): Promise<Response> {
    const url = new URL(target.startsWith('/') ? this.base + target : target)
    const { method = 'GET', body } = options
    const headers = new Headers(options.headers)
    const jar = this.jar(url.origin)
    const withCookies = !options.crossSite || method === 'GET'
    if (jar.size > 0 && withCookies && !headers.has('cookie')) {
      headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    }
    const init: RequestInit = {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    }
    const isOwn = url.origin === new URL(this.base).origin
    const response = isOwn ? await this.#handler(new Request(url, init)) : await fetch(url, init)
    for (const line of response.headers.getSetCookie()) storeCookie(jar, url, line)
    return response
  }

  /** Sends a GET and returns its JSON. */
  async json(target: string, options: VisitOptions = {}): Promise<Record<string, unknown>> {
    const body: Record<string, unknown> = await (await this.visit(target, options)).json()
    return body
  }

  /** Returns the CSRF token of `GET /csrf`. */
  async csrfToken(): Promise<string> {
    return String((await this.json('/csrf'))['csrfToken'])
  }

  /** Posts a form. */
  post(
    target: string,
    fields: Readonly<Record<string, string>>,
    options: VisitOptions = {},
  ): Promise<Response> {
    return this.visit(target, { ...options, method: 'POST', body: new URLSearchParams(fields) })
  }

  /** Posts a form together with the CSRF token of `GET /csrf`. */
  async submit(
    target: string,
    fields: Readonly<Record<string, string>> = {},
    options: VisitOptions = {},
  ): Promise<Response> {
    return this.post(target, { csrfToken: await this.csrfToken(), ...fields }, options)
  }

  /**
   * Follows redirects until a response is not one, or until `stop` returns true for the next URL.
   *
   * @throws Error after 20 redirects
   */
  async follow(response: Response, stop: (url: URL) => boolean = () => false): Promise<Response> {
    let current = response
    for (let hops = 0; hops < 20; hops++) {
      const location = current.headers.get('location')
      if (location === null) return current
      const next = new URL(location, current.url || this.base)
      if (stop(next)) return current
      current = await this.visit(next.href)
    }
    throw new Error('expected at most 20 redirects')
  }
}

/**
 * Stores or deletes one cookie.
 *
 * @throws Error if a browser would refuse it
 */
function storeCookie(jar: Map<string, string>, url: URL, line: string): void {
  const {
    name,
    value = '',
    maxAge,
    expires,
    secure,
    path,
    domain,
  } = parseSetCookie(line, { decode: (text) => text })
  if (secure && url.protocol !== 'https:')
    throw new Error(`${name}: expected https for a Secure cookie`)
  if (name.startsWith('__Secure-') && !secure)
    throw new Error(`${name}: the prefix __Secure- requires Secure`)
  if (name.startsWith('__Host-') && (!secure || path !== '/' || domain !== undefined)) {
    throw new Error(`${name}: the prefix __Host- requires Secure, Path=/ and no Domain`)
  }
  if (line.length > 4096) {
    throw new Error(`${name}: expected at most 4096 characters, found ${line.length}`)
  }
  const isExpired = maxAge === undefined ? expires && expires.getTime() <= Date.now() : maxAge <= 0
  if (isExpired) jar.delete(name)
  else jar.set(name, value)
}
