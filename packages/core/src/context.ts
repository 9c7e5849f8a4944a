import type { Service } from './service.ts'
import type { CookieRow } from './http/cookies.ts'
import { emptyForm, readQuery } from './http/body.ts'
import type { Form } from './http/body.ts'
import { Jar } from './http/cookie-jar.ts'
import { adoptSession } from './session/import-session.ts'
import { spendLimit, toClientKey } from './limits/limits.ts'
import type { LimitName } from './limits/limits.ts'
import { getCauses } from './lib/log.ts'
import type { Events } from './config.ts'
import { createProviderRuntime } from './http/outbound-fetch.ts'
import type { Language } from './ports/messages.ts'
import type { OneTimeTokens, Provider } from './ports/provider.ts'
import type { HandleOptions, ProviderRuntime } from './ports/runtime.ts'
import { returnAddress } from './http/return-url.ts'
import type { Session } from './session/session.ts'
import type { Site } from './http/base-url.ts'
import { requireStorage } from './storage/guard-storage.ts'
import { createOneTimeTokens } from './storage/one-time-tokens.ts'

/**
 * One request, with everything about it read at most once. `provider` and `form` are filled in before
 * the gates.
 */
export class Context {
  readonly service: Service
  readonly request: Request
  readonly extras: HandleOptions
  readonly site: Site
  readonly jar: Jar
  /** Seconds since 1970. */
  readonly now: number
  /** The body's fields; empty until they have been read. */
  form: Form = emptyForm
  /** Where the person goes after a failure that comes before the action has found out itself. */
  callbackUrl: string | undefined
  /** Where what failed can be tried again, if not on the page that its error is shown on. */
  retryUrl: string | undefined
  /** The cookies of a former service, whose session has become one of ours, and that one's row. */
  adopted:
    { readonly cookies: readonly CookieRow[]; readonly storedId: string | undefined } | undefined
  #provider: Provider | undefined
  #query: ReadonlyMap<string, string> | undefined
  #session: Promise<Session | undefined> | undefined
  #genuine: Promise<string | undefined> | undefined
  #csrfToken: Promise<string> | undefined
  #language: Language | undefined
  #runtime: ProviderRuntime | undefined

  /** @throws AuthError `Configuration` where the request's origin is none to trust (I-2) */
  constructor(service: Service, request: Request, extras: HandleOptions) {
    this.service = service
    this.request = request
    this.extras = extras
    this.site = service.siteOf(request.url)
    this.jar = new Jar(request.headers.get('cookie'))
    this.now = Math.floor(service.runtime.now() / 1000)
  }

  /** A HEAD request reads and changes nothing (I-5). */
  get readOnly(): boolean {
    return this.request.method === 'HEAD'
  }

  /** The provider that the path names. */
  get provider(): Provider {
    if (!this.#provider) throw new Error('the route names no provider')
    return this.#provider
  }

  set provider(provider: Provider) {
    this.#provider = provider
  }

  get query(): ReadonlyMap<string, string> {
    return (this.#query ??= readQuery(searchOf(this.request.url)))
  }

  /** The query of the request as it came, with what is given twice still in it. */
  get search(): URLSearchParams {
    return new URLSearchParams(searchOf(this.request.url))
  }

  get language(): Language {
    const header = this.request.headers.get('accept-language')
    return (this.#language ??= this.service.negotiate(header))
  }

  /** The runtime under the limits of I-26; all of the request's outbound calls share the deadline. */
  get runtime(): ProviderRuntime {
    return (this.#runtime ??= createProviderRuntime(this.service.runtime, this.service.timeouts))
  }

  /** The session that the request came with. */
  session(): Promise<Session | undefined> {
    return (this.#session ??= this.#readOrAdoptSession())
  }

  /** The browser's User-Agent. */
  get agent(): string | undefined {
    return this.request.headers.get('user-agent')?.slice(0, 255)
  }

  /** The CSRF token of this browser: its own where it is genuine, else a new one (I-18). */
  csrfToken(): Promise<string> {
    return (this.#csrfToken ??= this.#keepOrIssueCsrfToken())
  }

  /** The CSRF token that the browser came with, where its cookie is genuine for the present session. */
  genuineCsrfToken(): Promise<string | undefined> {
    return (this.#genuine ??= this.session().then((session) => this.csrfTokenOf(session?.id ?? '')))
  }

  /** The CSRF token of the browser's cookie, where that is genuine for this session id. */
  csrfTokenOf(sessionId: string): Promise<string | undefined> {
    const cookie = this.jar.get(this.site.cookies.csrf.name)
    return this.service.csrf.verify(cookie, sessionId)
  }

  /** Single-use tokens; a provider that uses them has said in its `needs` that there must be a storage. */
  get tokens(): OneTimeTokens {
    const { storage, keys, runtime } = this.service
    const { id } = this.provider
    const kept = requireStorage(storage, `providers.${id}`, [])
    return createOneTimeTokens(kept, keys.token, runtime.random, id, this.now)
  }

  /**
   * Counts something against its limit, for whoever is given or else for the client.
   *
   * @throws AuthError `RateLimited`
   */
  limit(
    name: LimitName,
    subject: string | undefined = toClientKey(this.extras.clientIp?.()),
  ): Promise<void> {
    const { limits, limiter, keys } = this.service
    return spendLimit({ limits, limiter, signer: keys.token }, name, subject, this.now)
  }

  /** A return address, checked (I-41). Where `callbacks.redirect` throws it has not allowed it. */
  async returnAddress(value: string | undefined): Promise<string> {
    const { callbacks, log } = this.service
    try {
      return await returnAddress(value, this.site.origin, callbacks.redirect)
    } catch (thrown) {
      log.error('callbacks.redirect has thrown', { causes: getCauses(thrown) })
      return this.site.origin
    }
  }

  /** Tells an event after the fact; what it throws is logged and changes nothing. */
  tell<Name extends keyof Events>(
    name: Name,
    event: Parameters<NonNullable<Events[Name]>>[0],
  ): void {
    const listener = this.service.events[name] as ((event: unknown) => unknown) | undefined
    if (!listener || this.readOnly) return
    const told = Promise.resolve()
      .then(() => listener(event))
      .catch((thrown: unknown) => {
        this.service.log.error(`events.${name} has thrown`, { causes: getCauses(thrown) })
      })
    try {
      this.extras.waitUntil?.(told)
    } catch (thrown) {
      this.service.log.error('waitUntil has thrown', { causes: getCauses(thrown) })
    }
  }

  async #readOrAdoptSession(): Promise<Session | undefined> {
    const { service, jar, site, now } = this
    const session = await service.sessions.read(jar, site.cookies.session, now)
    return session ?? (service.importers.length > 0 ? adoptSession(this) : undefined)
  }

  async #keepOrIssueCsrfToken(): Promise<string> {
    const kept = await this.genuineCsrfToken()
    if (kept !== undefined) return kept
    const { token, cookie } = await this.service.csrf.issue((await this.session())?.id ?? '')
    this.jar.set(this.site.cookies.csrf, cookie)
    return token
  }
}

function searchOf(requestUrl: string): string {
  const hash = requestUrl.indexOf('#')
  const url = hash === -1 ? requestUrl : requestUrl.slice(0, hash)
  const question = url.indexOf('?')
  return question === -1 ? '' : url.slice(question + 1)
}
