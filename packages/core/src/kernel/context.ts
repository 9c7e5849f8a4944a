import type { AccountOption } from '../account/option.ts'
import type { Confirmation } from '../confirmation/option.ts'
import type { Csrf } from '../crypto/csrf.ts'
import type { Keys } from '../crypto/seal.ts'
import type { BaseUrl, LocatedRequest } from '../http/base-url.ts'
import type { Body } from '../http/body.ts'
import type { CookieJar } from '../http/cookie-jar.ts'
import type { Timeouts } from '../http/outbound-fetch.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { ExpiringMap } from '../lib/expiring-map.ts'
import type { Log } from '../lib/log.ts'
import type { Limits } from '../limits/limits.ts'
import type { UsedOnce } from '../limits/used-once.ts'
import type { GetDocuments } from '../oauth/issuer-documents.ts'
import type { EventOutbox } from '../outbox/event-outbox.ts'
import type { PagesOptions } from '../pages/custom-pages.ts'
import type { Negotiate } from '../pages/messages.ts'
import type { Policy } from '../pages/policy.ts'
import type { Theme } from '../pages/theme.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Language } from '../ports/messages.ts'
import type { Provider } from '../ports/provider.ts'
import type { Tokens } from '../ports/records.ts'
import type { HandleOptions, ProviderRuntime, Runtime } from '../ports/runtime.ts'
import type { SecondFactor } from '../second-factor/option.ts'
import type { SecurityEmails } from '../security-emails/option.ts'
import type { SessionRequest } from '../session/current-session.ts'
import type { SessionToken } from '../session/session-claims.ts'
import type { SessionImports } from '../session/session-imports.ts'
import type { SessionStrategy } from '../session/session.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import type { Revocations } from '../storage/revocations.ts'
import type { TokenIssuer } from '../tokens/token-issuer.ts'
import type { Callbacks, JoinsUnverified } from './callbacks.ts'
import type { Events } from './events.ts'
import type { SessionOptions } from './session-options.ts'

/** What an action receives besides the {@link Context}. */
export interface Input {
  /** The query's parameters; of a parameter given twice, the first. */
  readonly query: ReadonlyMap<string, string>
  readonly body: Body
}

/** The input of an action whose path names a provider. */
export interface ProviderInput extends Input {
  readonly provider: Provider
}

/** The CSRF token of a browser, and the cookies to set if it is new (I-18). */
export interface CsrfToken {
  readonly token: string
  readonly cookies: readonly CookieChange[]
}

/** The frozen facts of one request. Each is read at most once, and reading one changes nothing. */
export interface Context extends SessionRequest {
  readonly service: Service
  readonly request: Request
  readonly options: HandleOptions
  readonly baseUrl: BaseUrl
  readonly cookies: CookieJar
  /** Seconds since 1970. */
  readonly now: number
  /** The browser's User-Agent, at most 255 characters. */
  readonly userAgent: string | undefined
  /** The runtime under the limits of I-26: all outbound calls of the request share the deadline. */
  readonly runtime: ProviderRuntime
  /** Returns the CSRF token of the request's cookie; undefined if it is not valid for the session. */
  readCsrfToken(): Promise<string | undefined>
  /** Returns the CSRF token for a page or form: the valid one, else a new one (I-18). */
  getCsrfToken(): Promise<CsrfToken>
}

/** The configuration, checked, with its defaults, frozen. */
export interface Service {
  readonly basePath: string
  /** The origin of `serviceUrl`; undefined without the option. */
  readonly origin: string | undefined
  /** Returns the base URL of a request (I-1, I-2). */
  readonly getBaseUrl: (request: LocatedRequest) => BaseUrl
  /** Origins whose pages may act as the user (I-42). */
  readonly trustedOrigins: ReadonlySet<string>
  readonly keys: Keys
  readonly providers: ReadonlyMap<string, Provider>
  readonly callbacks: Callbacks<unknown, SessionToken>
  readonly joinsUnverified: JoinsUnverified | undefined
  readonly events: Events
  /** Undefined if no events are stored. */
  readonly outbox: EventOutbox | undefined
  readonly csrf: Csrf
  /** Undefined if nothing is stored. */
  readonly storage: GuardedStorage | undefined
  readonly sessions: SessionStrategy
  /** The import of sessions of previous services. */
  readonly imports: SessionImports
  readonly limits: Limits
  readonly limiter: Limiter
  readonly usedOnce: UsedOnce
  readonly revocations: Revocations
  /**
   * Token refreshes of this process whose outcome is not in the storage: the tokens that could not be stored
   * yet, or null if the provider refused.
   */
  readonly refreshes: ExpiringMap<Tokens | null>
  readonly update: SessionOptions<SessionToken>['update'] | undefined
  /** Undefined if users cannot confirm. */
  readonly confirmation: Confirmation | undefined
  /** Undefined if users have no second factors. */
  readonly secondFactor: SecondFactor | undefined
  /** Undefined if users have no account page. */
  readonly account: AccountOption | undefined
  /** Undefined if users get no emails about security. */
  readonly securityEmails: SecurityEmails | undefined
  /** Undefined if no tokens for APIs are issued. */
  readonly tokens: TokenIssuer | undefined
  /** The JSON of `/session` without a session (I-44). */
  readonly emptySession: object | null
  readonly pages: PagesOptions
  readonly theme: Theme
  /** Returns the Content-Security-Policy of the pages at an origin. */
  readonly policy: Policy
  readonly negotiate: Negotiate
  /** The language of what no request asks for, such as an email after a call of the server. */
  readonly defaultLanguage: Language
  readonly timeouts: Timeouts
  /** Returns the documents of issuers for one request; undefined if no cache is configured. */
  readonly getDocuments: GetDocuments | undefined
  readonly log: Log
  readonly runtime: Runtime
}
