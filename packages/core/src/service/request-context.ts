import { createProviderRuntime } from '../http/outbound-fetch.ts'
import { isLocalUrl } from '../http/base-url.ts'
import type { BaseUrl } from '../http/base-url.ts'
import { CookieJar } from '../http/cookie-jar.ts'
import { setCookie } from '../http/set-cookie.ts'
import type { StoredEvent } from '../ports/records.ts'
import type { Language } from '../ports/messages.ts'
import type { HandleOptions, ProviderRuntime } from '../ports/runtime.ts'
import type { Context, CsrfToken, KnownEnd, Service } from '../kernel/context.ts'
import { revokeSession, toEndEvents } from '../session/current-session.ts'
import { peekIds, readSession } from '../session/read-session.ts'
import type { HeldSession } from '../session/held-session.ts'
import type { Session } from '../session/session.ts'

/** The CSRF token of a valid cookie, and the session that the cookie was issued for. */
interface GenuineToken {
  readonly token: string
  readonly sessionId: string | undefined
}

/**
 * The {@link Context} of any request of the application, for `members`: routes and points receive theirs. It sets no cookies.
 */
export class RequestContext implements Context {
  readonly service: Service
  readonly request: Request
  readonly options: HandleOptions
  readonly baseUrl: BaseUrl
  readonly cookies: CookieJar
  /** Seconds since 1970. */
  readonly now: number
  readonly #startedAt: number
  #reading: Promise<HeldSession> | undefined
  #genuine: Promise<GenuineToken | undefined> | undefined
  #csrfToken: Promise<CsrfToken> | undefined
  #language: Language | undefined
  #runtime: ProviderRuntime | undefined
  #knownEnd: KnownEnd | undefined

  /**
   * @param options What the host says of the client; `{}` if only the request is known
   *
   * @throws AuthError `Configuration` if the request's origin is not trusted
   */
  constructor(service: Service, request: Request, options: HandleOptions) {
    this.service = service
    this.request = request
    this.options = options
    this.baseUrl = service.getBaseUrl(request)
    this.cookies = new CookieJar(request.headers.get('cookie'))
    this.#startedAt = service.runtime.monotonic()
    this.now = Math.floor(service.runtime.now() / 1000)
    Object.freeze(this)
  }

  get knownEnd(): KnownEnd | undefined {
    return this.#knownEnd
  }

  set knownEnd(value) {
    this.#knownEnd = value
  }

  /** Whether the request is a HEAD: it has no effect. */
  get isHead(): boolean {
    return this.request.method === 'HEAD'
  }

  /** The browser's User-Agent, at most 255 characters. */
  get userAgent(): string | undefined {
    return this.request.headers.get('user-agent')?.slice(0, 255)
  }

  get language(): Language {
    const header = this.request.headers.get('accept-language')
    return (this.#language ??= this.service.negotiate(header))
  }

  /** `fetch` with the time limits of the service: all outbound calls of the request share the deadline. */
  get runtime(): ProviderRuntime {
    return (this.#runtime ??= this.#createRuntime())
  }

  /** The seconds that are left for the answer; 0 if the time is over. */
  get secondsLeft(): number {
    const { timeouts, runtime } = this.service
    return Math.max(0, timeouts.answer - (runtime.monotonic() - this.#startedAt) / 1000)
  }

  /**
   * Returns what the request's cookies say about its session.
   *
   * @param mayLag Whether a replica may answer: only what reads it first in a request decides
   */
  readSession(mayLag?: boolean): Promise<HeldSession> {
    return (this.#reading ??= readSession(this, mayLag))
  }

  /** Whether the session has been read. */
  get hasReadSession(): boolean {
    return this.#reading !== undefined
  }

  /** Ends a session as `auth.sessions.revoke` does. */
  revokeSession(session: Session): Promise<void> {
    return revokeSession(this, session)
  }

  toEndEvents(session: Session): readonly StoredEvent[] {
    return toEndEvents(this, session)
  }

  /** Returns the CSRF token of the request's cookie; undefined if it is not valid for the session. */
  async readCsrfToken(): Promise<string | undefined> {
    return (await (this.#genuine ??= this.#readGenuine()))?.token
  }

  /** Returns the CSRF token for a page or form: the valid one, else a new one. */
  getCsrfToken(): Promise<CsrfToken> {
    return (this.#csrfToken ??= this.#getCsrfToken())
  }

  #createRuntime(): ProviderRuntime {
    const { runtime, timeouts, getDocuments } = this.service
    return createProviderRuntime(runtime, timeouts, {
      documents: getDocuments?.(this.options),
      isLocal: () => isLocalUrl(new URL(this.baseUrl.origin)),
    })
  }

  async #readGenuine(): Promise<GenuineToken | undefined> {
    const cookie = this.cookies.get(this.baseUrl.cookies.csrf.name)
    for (const sessionId of await this.#peekSessionIds()) {
      const token = await this.service.csrf.verify(cookie, sessionId)
      if (token !== undefined) return { token, sessionId }
    }
    return undefined
  }

  /** Returns the id of the request's session; if the storage fails, the ids that its cookies name. */
  async #peekSessionIds(): Promise<readonly (string | undefined)[]> {
    try {
      return [(await this.readSession()).session?.id]
    } catch (thrown) {
      const ids = await peekIds(this)
      if (ids.length === 0) throw thrown
      return ids
    }
  }

  async #getCsrfToken(): Promise<CsrfToken> {
    const valid = await this.readCsrfToken()
    if (valid !== undefined) return { token: valid, cookies: await this.#renewCsrfCookie() }
    const { session } = await this.readSession()
    const { token, cookie } = await this.service.csrf.issue(session?.id)
    return { token, cookies: [setCookie(this.baseUrl.cookies.csrf, cookie)] }
  }

  /** The cookie can be older than any session: its secret may soon be removed elsewhere. */
  async #renewCsrfCookie(): Promise<CsrfToken['cookies']> {
    const spec = this.baseUrl.cookies.csrf
    const cookie = this.cookies.get(spec.name) ?? ''
    const renewed = await this.service.csrf.renew(cookie, (await this.#genuine)?.sessionId)
    return renewed === cookie ? [] : [setCookie(spec, renewed)]
  }
}
