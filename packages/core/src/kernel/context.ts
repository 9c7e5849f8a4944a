import type { Csrf } from '../crypto/csrf.ts'
import type { Keys } from '../crypto/seal.ts'
import type { AuthError, ErrorCode } from '../errors.ts'
import type { BaseUrl, LocatedRequest } from '../http/base-url.ts'
import type { Body, MediaType } from '../http/body.ts'
import type { CookieJar } from '../http/cookie-jar.ts'
import type { Timeouts } from '../http/outbound-fetch.ts'
import type { Reply } from '../http/reply.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { RouteOrigins } from '../http/trusted-origins.ts'
import type { ExpiringMap } from '../lib/expiring-map.ts'
import type { Log } from '../lib/log.ts'
import type { Limits } from '../limits/limits.ts'
import type { UsedOnce } from '../limits/used-once.ts'
import type { GetDocuments } from '../oauth/issuer-documents.ts'
import type { OptionParts } from '../option-parts.ts'
import type { EventOutbox } from '../outbox/event-outbox.ts'
import type { PagesOptions } from '../pages/custom-pages.ts'
import type { Negotiate } from '../pages/messages.ts'
import type { Policy } from '../pages/policy.ts'
import type { Theme } from '../pages/theme.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Language } from '../ports/messages.ts'
import type { Provider } from '../ports/provider.ts'
import type {
  AuthenticationMethod,
  Identity,
  SecurityChange,
  StoredUser,
  Tokens,
} from '../ports/records.ts'
import type { HandleOptions, ProviderRuntime, Runtime } from '../ports/runtime.ts'
import type { SecondFactor } from '../second-factor/option.ts'
import type { SessionRequest } from '../session/current-session.ts'
import type { SessionToken } from '../session/session-claims.ts'
import type { SessionImports } from '../session/session-imports.ts'
import type { SessionStrategy } from '../session/session.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import type { Revocations } from '../storage/revocations.ts'
import type { TokenIssuer } from '../tokens/token-issuer.ts'
import type { Callbacks, JoinsUnverified } from './callbacks.ts'
import type { Events } from './events.ts'
import type { FlowTarget } from './flow.ts'
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
  /** Undefined if users have no second factors. */
  readonly secondFactor: SecondFactor | undefined
  /** What the capabilities in use contribute (I-63). */
  readonly capabilities: Capabilities
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

/** One check before the action: it throws to refuse, and may reply instead of the action. */
export type Gate<I extends Input = Input> = (
  ctx: Context,
  input: I,
) => Promise<Reply | undefined | void>

/** Answers a request that has passed its gates. */
export type Action<I extends Input = Input> = (ctx: Context, input: I) => Reply | Promise<Reply>

/** The fields of a form as the user typed them, by name. */
export interface TypedFields {
  readonly providerId: string
  readonly values: ReadonlyMap<string, string>
  /** Whether the message is about them. */
  readonly isMistake: boolean
}

/** What a page shows again after an error. */
export interface ShownError {
  readonly callbackUrl: string
  readonly error?: ErrorCode | undefined
  readonly status?: number
  /** Default: the sentence of `error` */
  readonly message?: string
  /** What was typed: nothing of it is in a URL. */
  readonly typed?: TypedFields | undefined
}

/** How a browser sees an error of a route (I-7). */
export interface OnError {
  /** Shows the page again whose form was posted. Default: the error page is shown at this URL */
  readonly show?: (ctx: Context, view: ShownError, input: Input) => Promise<Reply>
  /** Whether nothing of this URL may stay in the location bar. */
  readonly leaves?: boolean
}

/** One row of the table of routes. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** Relative to the base path; `:provider` is the id of a configured provider, any other id is 404. */
  readonly path: string
  /** What clients expect: pages and redirects, JSON, or what their `Accept` says. */
  readonly speaks: 'html' | 'json' | 'either'
  /** The media types of the body; none if there is no body. */
  readonly accepts: readonly MediaType[]
  /** Whose pages may read the answer. */
  readonly origins: RouteOrigins
  readonly gates: readonly Gate<ProviderInput>[]
  readonly action: Action<ProviderInput>
  readonly onError: OnError
  /** Without this option the path is not found. */
  readonly option: 'tokens' | undefined
}

/** The rows of each path, by method. */
export type Routes = ReadonlyMap<string, ReadonlyMap<string, Route>>

/** A route of a capability. Without a provider in its path, and by default with the checks of every posted form (I-17). */
export interface CapabilityRoute {
  readonly method: 'GET' | 'POST'
  /** One segment below the base path, such as `/terms`. */
  readonly path: `/${string}`
  /** Default: `html` */
  readonly speaks?: Route['speaks']
  /** Checks after those of a posted form. Default: none */
  readonly gates?: readonly Gate[]
  readonly action: Action
  /** Default: the error page is shown */
  readonly onError?: OnError
}

/** What a flow is for besides signing in. The user of the session in which it began is present. */
export interface PurposeRow {
  /** The name of the field that asks for it, with the value `true`. */
  readonly name: string
  /** @throws AuthError if it may not begin at a provider */
  readonly checkStart: (ctx: Context, provider: Provider, callbackUrl: string) => Promise<void>
  /**
   * Completes it with a proven identity. No session begins here.
   *
   * @throws AuthError `SessionRequired` if the session has ended in which it began
   */
  readonly complete: (
    ctx: Context,
    provider: Provider,
    flow: FlowTarget,
    identity: Identity,
  ) => Promise<Reply>
  /** Shows the page again whose form was posted. Default: the sign-in page */
  readonly show?: OnError['show']
  /** Returns where the user can begin again after an error; undefined for the page of its code. */
  readonly getAgainUrl?: (ctx: Context, callbackUrl: string, error: AuthError) => string | undefined
}

/** A page of `GET /signin` that a parameter of the query names, with the value `true`. */
export interface SignInPage {
  readonly query: string
  readonly show: (ctx: Context, view: ShownError) => Promise<Reply>
}

/** Decides whether the user of a session has proven recently enough who they are (I-51). */
export interface Recency {
  /** @param elapsed Seconds that may have passed in addition, since the check at the beginning of a flow. Default: 0 */
  isRecent(ctx: Context, change: 'link' | 'factor', elapsed?: number): Promise<boolean>
  /** Returns the URL of the page that asks, which then leads to another one. */
  getUrl(ctx: Context, callbackUrl: string): string
}

/** A change that matters to a user's security (I-63.6). */
export interface Change {
  readonly service: Service
  /** The request that has changed something. Default: a call of the server, which waits for the listeners */
  readonly ctx?: Context | undefined
  readonly kind: SecurityChange
  readonly userId: string
  /** The id of the provider, or the type of the factor: not its name, which an attacker may have typed. */
  readonly detail?: string | undefined
  /** The user before the email address changed. */
  readonly previous?: Pick<StoredUser, 'email' | 'emailVerified'> | undefined
}

/** A sign-in that is complete. */
export interface DoneSignIn {
  readonly provider: Provider
  readonly identity: Identity
  readonly userId: string
  /** Whether the user did not exist before. */
  readonly isNewUser: boolean
  readonly methods: readonly AuthenticationMethod[]
  /** Where it leads. */
  readonly callbackUrl: string
}

/**
 * What a package adds to a service: an element of the option `use` (I-63). It is a value that does nothing by itself:
 * `createAuth` reads it once, checks it against the others, and calls what it contributes.
 */
export interface Capability {
  /** `[a-z][A-Za-z0-9]*`, unique in a service: the name of its options in messages. */
  readonly id: string
  /** @throws ConfigurationError if another option does not fit, or is missing */
  readonly check?: (parts: OptionParts) => void
  /** Is called once for each service, before it answers. */
  readonly start?: (service: Service) => void
  readonly routes?: readonly CapabilityRoute[]
  readonly pages?: readonly SignInPage[]
  readonly purposes?: readonly PurposeRow[]
  /** Fields of its forms, of which a second value is refused (I-9). */
  readonly fields?: readonly string[]
  /** Rules that its pages add to the style sheet. */
  readonly style?: string
  /** Only one capability has it. */
  readonly recency?: Recency
  /** Returns further members of what `createAuth` returns. */
  readonly members?: (service: Service) => object
  /**
   * Counts a change of a session's user that gives a lasting way in, before it is made.
   *
   * @throws AuthError `RateLimited`, `Unavailable`
   */
  readonly limitChange?: (ctx: Context, userId: string) => Promise<void>
  /** Is told of a change after its step. If it fails, that is logged. */
  readonly changed?: (change: Change) => Promise<void>
  /** Returns the cookies that it adds to a sign-in. If it fails, that is logged, and the sign-in continues. */
  readonly done?: (ctx: Context, signIn: DoneSignIn) => Promise<readonly CookieChange[]>
}

/** The contributions of the capabilities in use, checked against each other. */
interface Capabilities {
  /** In the order of their ids. */
  readonly list: readonly Capability[]
  /** The routes of the service itself and of its capabilities. */
  readonly routes: Routes
  /** The purposes of the service itself and of its capabilities, by name. */
  readonly purposes: ReadonlyMap<string, PurposeRow>
  readonly pages: readonly SignInPage[]
  /** Fields of posted forms of which a second value is refused, besides those of the protocol. */
  readonly fields: readonly string[]
  readonly recency: Recency | undefined
}
