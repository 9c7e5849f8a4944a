import type { OwnCookie } from '../http/cookies.ts'
import type { Refusal } from '../http/refusal.ts'
import type { TokenContext } from '../storage/token-context.ts'
import type { PageContext } from '../pages/layout.ts'
import type { Markup } from '../pages/html.ts'
import type { Csrf } from '../crypto/csrf.ts'
import type { Keys } from '../crypto/seal.ts'
import type { HeldTokens, IsWanted } from '../access-tokens/token-keeper.ts'
import type { AuthError } from '../lib/errors.ts'
import type { ErrorCode } from '../ports/error-code.ts'
import type { BaseUrl, LocatedRequest } from '../http/base-url.ts'
import type { Body, MediaType } from '../http/body.ts'
import type { CookieJar } from '../http/cookie-jar.ts'
import type { Timeouts } from '../http/outbound-fetch.ts'
import type { Reply } from '../http/reply.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { RouteOrigins } from '../http/trusted-origins.ts'
import type { ExpiringMap } from '../lib/expiring-map.ts'
import type { Log } from '../lib/log.ts'
import type { Limits, OwnLimit } from '../limits/limits.ts'
import type { UsedOnce } from '../limits/used-once.ts'
import type { GetDocuments } from '../oauth/issuer-documents.ts'
import type { AccountForm, AccountRow, ChangeProblem, WayLink } from './account-row.ts'
import type { OptionParts } from './option-parts.ts'
import type { EventOutbox } from '../outbox/event-outbox.ts'
import type { PagesOptions } from '../pages/custom-pages.ts'
import type { Negotiate } from '../pages/messages.ts'
import type { Policy } from '../pages/policy.ts'
import type { Theme } from '../pages/theme.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Language, Messages } from '../ports/messages.ts'
import type { Field, OneTimeTokens, OutOfBand, Provider } from '../ports/provider.ts'
import type {
  Authentication,
  AuthenticationMethod,
  Factor,
  Identity,
  ProvenBy,
  SecurityChange,
  StoredEvent,
  StoredUser,
  Tokens,
} from '../ports/records.ts'
import type { Clock, HandleOptions, ProviderRuntime, Runtime } from '../ports/runtime.ts'
import type { Storage, StoredUsers } from '../ports/storage.ts'
import type { SessionRequest } from '../session/current-session.ts'
import type { SessionToken } from '../session/session-claims.ts'
import type { SessionImports } from '../session/session-imports.ts'
import type { SatisfiedBy, Session, SessionStrategy } from '../session/session.ts'
import type { StoredSessionOptions } from '../session/stored-session.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import type { Revocations } from '../storage/revocations.ts'
import type { RemoveFactorOptions } from './auth-factors.ts'
import type { Callbacks, JoinsUnverified, SignIn } from './callbacks.ts'
import type { Events } from './events.ts'
import type { FlowTarget } from './flow.ts'
import type { ResolvedUser, SignInStep } from './resolved-user.ts'
import type { SessionOptions } from './session-options.ts'

/** What an action receives besides the {@link Context}: what the client has sent. */
export interface Input {
  /** The query's parameters; of a parameter given twice, the first. */
  readonly query: ReadonlyMap<string, string>
  /** The posted form; empty for a GET. */
  readonly body: Body
}

/** The input of an action whose path names a provider. */
export interface ProviderInput extends Input {
  readonly provider: Provider
}

/** The CSRF token of a browser, and the cookies to set if it is new. */
export interface CsrfToken {
  readonly token: string
  readonly cookies: readonly CookieChange[]
}

/**
 * The frozen facts of one request. Each is read at most once, and reading one changes nothing. `ctx.language` is what the browser
 * prefers of the languages of the service, and `(await ctx.readSession()).session?.token.sub` the id of the signed-in user.
 */
export interface Context extends SessionRequest {
  readonly service: Service
  readonly request: Request
  /** What the host says of the client. */
  readonly options: HandleOptions
  /** `origin`, and `href`: the URL that routes are relative to, without a trailing slash. */
  readonly baseUrl: BaseUrl
  /** The cookies of the request, by their full names. */
  readonly cookies: CookieJar
  /** Seconds since 1970. */
  readonly now: number
  /** The browser's User-Agent, at most 255 characters. */
  readonly userAgent: string | undefined
  /** `fetch` with the time limits of the service: all outbound calls of the request share the deadline. */
  readonly runtime: ProviderRuntime
  /** Returns the CSRF token of the request's cookie; undefined if it is not valid for the session. */
  readCsrfToken(): Promise<string | undefined>
  /**
   * Returns the CSRF token for a page: the valid one, else a new one. A form posts it as `csrfToken`, and the page's reply sets
   * the cookies.
   */
  getCsrfToken(): Promise<CsrfToken>
  /** When the sign-ins of a user were ended last, as this request has read or done it: its own one continues. */
  knownEnd: KnownEnd | undefined
}

/** When the sign-ins of a user were ended last. */
export interface KnownEnd {
  readonly userId: string
  /** Microseconds since 1970; `NaN` if another request has ended them meanwhile. */
  readonly at: number
}

/**
 * The configuration, checked, with its defaults, frozen. A capability uses `keys`, `storage`, `providers`, `log`, `runtime`,
 * `limiter` and the origins. The types of the other members are not exported: they change in any minor version.
 */
export interface Service {
  readonly basePath: string
  /** The origin of `serviceUrl`; undefined without the option. */
  readonly origin: string | undefined
  /** Returns the base URL of a request. */
  readonly getBaseUrl: (request: LocatedRequest) => BaseUrl
  /** Origins whose pages may act as the user. */
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
  readonly storage: ServiceStorage | undefined
  /** How sessions are kept. */
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
  /** Returns whether a session may be renewed, as capabilities decide. */
  readonly isStillEnough: (session: Session) => Promise<boolean>
  /** What the capabilities in use contribute together. */
  readonly capabilities: Capabilities
  /** The JSON of `/session` without a session. */
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

/** The option `storage`, and the code that has come with it. */
export interface ServiceStorage extends GuardedStorage {
  readonly code: StorageCode
}

/** A sign-in whose user is resolved in the storage. */
export interface Resolving {
  readonly ctx: Context
  readonly storage: GuardedStorage
  readonly provider: Provider
  /** Whether the identity is of a user who is created with the factor by which the user signs in. */
  readonly isNew: boolean
}

/**
 * The code that only a service with a storage runs. It comes with the storage, as `storedUsers`, so that the Worker of
 * another service does not carry it.
 */
export interface StorageCode extends StoredUsers {
  readonly guardStorage: (storage: Storage, timeout: number, clock: Clock) => GuardedStorage
  readonly createSessions: (options: StoredSessionOptions) => SessionStrategy
  readonly resolveUser: (resolving: Resolving, proven: SignIn) => Promise<ResolvedUser>
  readonly checkBegan: (
    ctx: Context,
    flow: Pick<FlowTarget, 'startedAt'>,
    resolved: ResolvedUser,
  ) => Promise<void>
  readonly persistSignIn: (
    resolving: Omit<Resolving, 'isNew'>,
    resolved: ResolvedUser,
    step: SignInStep,
  ) => Promise<Pick<StoredUser, 'id'> | undefined>
  readonly checkInProgress: (ctx: Context, userId: string) => Promise<void>
  readonly completeLink: (
    ctx: Context,
    storage: GuardedStorage,
    flow: FlowTarget,
    proven: SignIn,
  ) => Promise<Reply>
  readonly createOneTimeTokens: (ctx: TokenContext, provider: Provider) => OneTimeTokens
  readonly receiveLink: Action<ProviderInput>
  readonly postLink: Action<ProviderInput>
  readonly findTokens: (
    ctx: Context,
    storage: GuardedStorage,
    provider: Provider,
    isWanted: IsWanted,
  ) => Promise<HeldTokens | undefined>
  /** Creates `auth.sessions`, `auth.accounts` and `auth.users`. */
  readonly createMembers: (service: Service) => object
}

/**
 * One check before the action. It throws an `AuthError` or a {@link Refusal} to refuse; what it returns replaces the reply of
 * the action.
 */
export type Gate<I extends Input = Input> = (
  ctx: Context,
  input: I,
) => Promise<Reply | undefined | void>

/** Answers a request that has passed its gates. Anything but an `AuthError` or a {@link Refusal} that it throws is a status of 500. */
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

/** How a browser sees an error of a route. */
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
}

/** The rows of each path, by method. */
export type Routes = ReadonlyMap<string, ReadonlyMap<string, Route>>

/**
 * A route of a capability. A POST has passed the checks of every posted form before `gates` and `action`: its `Origin` is that of
 * the service or one of `trustedOrigins`, and its field `csrfToken` is valid (`Csrf`, 403). A GET also answers HEAD.
 */
export interface CapabilityRoute {
  readonly method: 'GET' | 'POST'
  /** One segment below the base path, of `[a-z-]`, such as `/terms`. */
  readonly path: `/${string}`
  /** What clients expect: pages and redirects, JSON, or what their `Accept` says. Default: `html` */
  readonly speaks?: Route['speaks']
  /** Whose pages may read the answer: only those of the service, or `trustedOrigins` too. Default: `own` */
  readonly origins?: 'own' | 'trusted'
  /**
   * Whether a POST is answered for forms of every site, which know no token: it has passed no check. The action changes nothing, but
   * leads to a GET. Default: false
   */
  readonly isUnguarded?: boolean
  /** Checks after those of a posted form. Default: none */
  readonly gates?: readonly Gate[]
  readonly action: Action
  /** How a browser sees an error. Default: the error page is shown at this URL */
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
  /** The name of the parameter. */
  readonly query: string
  /** Replies with the page, also after an error. */
  readonly show: (ctx: Context, view: ShownError) => Promise<Reply>
}

/** A first factor that is proven, of a sign-in or a confirmation. */
export interface ProvenFirst {
  readonly provider: Provider
  readonly flow: FlowTarget
  readonly identity: Identity
  /** The sign-in with the user as resolved. */
  readonly signIn: SignIn
  /** Whether the user is not stored yet. The owner of `proven` is told so of a joined user too, whose factors end. */
  readonly isNew: boolean
}

/** How a proven first factor continues: the user is asked for a second one, or has proven enough. */
export type Continued = { readonly reply: Reply } | Enough

/** A proof that is enough for the factors of its user. */
export interface Enough {
  readonly authentication: Authentication
  /** Undefined if nothing was required, as of a confirmation by one factor. */
  readonly satisfiedBy?: SatisfiedBy | undefined
  /** The fingerprint of the factors; undefined if the sign-in itself enrols one. */
  readonly factors?: string | undefined
}

/** Who may sign in: asked after the owner of `proven`, before `callbacks.signIn` is called and anything is stored. */
export interface Admission {
  /**
   * Asked at each sign-in, maybe twice: it must have no effects. A confirmation does not ask.
   *
   * @returns The reply in place of a session, such as a redirect to a page that the user must pass first; undefined to continue
   * @throws AuthError that refuses the sign-in
   */
  readonly ask: (ctx: Context, first: ProvenFirst) => Promise<Reply | undefined>
  /** Returns whether a user of the storage would be stopped: a session of a previous service is then not imported. */
  readonly stops: (storage: GuardedStorage, user: StoredUser) => Promise<boolean>
}

/** A sign-in that waits for another factor. */
export interface WaitingStep {
  /** Names the step: each waits once. */
  readonly salt: string
  readonly userId: string
  readonly callbackUrl: string
  /** The id of the provider that has proven the first factor. */
  readonly provider: string | undefined
}

/**
 * Proves a factor of the user of a step, and returns its methods without `mfa`.
 *
 * @param hasOther Whether the user has another second factor than this one
 */
export type ProveSecond = (
  step: WaitingStep,
  hasOther: boolean,
) => Promise<readonly AuthenticationMethod[]>

/** A factor that a provider has enrolled in a session. */
export interface EnrolledElsewhere {
  readonly type: string
  /** Whether the user had no second factor before it was stored: of two at the same moment each is the first one. */
  readonly isFirst: boolean
  readonly session: Session
  readonly input: Input
  /** Where the enrolment leads. */
  readonly url: string
}

/**
 * Decides which proofs are enough for a user: the point `proven`, of which one capability is the owner. The user is
 * resolved, nothing is stored, and no callback of the application was called.
 */
export interface Proofs {
  /** Whether every user needs a second factor. */
  readonly isRequiredOfAll: boolean
  /**
   * Decides whether a proven first factor is enough: the one place where that is decided.
   *
   * @throws AuthError `SessionRequired` if the user is another one than at the first step
   */
  ask(ctx: Context, first: ProvenFirst): Promise<Continued>
  /** Returns whether a user of the storage has a second factor. */
  isEnrolled(storage: GuardedStorage, userId: string): Promise<boolean>
  /**
   * Returns whether a user of the storage would be asked: a session of a previous service is then not imported.
   *
   * @throws AuthError `Callback` if a function of the application throws
   */
  isNeeded(storage: GuardedStorage, user: StoredUser): Promise<boolean>
  /** Returns whether a factor of this type is asked for, or stands in for one that is. */
  asksFor(type: string): boolean
  /**
   * Returns the sign-in that waits in this browser for a factor of this type.
   *
   * @throws AuthError `SessionRequired` (403) if there is none
   */
  getStep(ctx: Context, type: string): Promise<WaitingStep>
  /**
   * Completes the sign-in that waits in this browser, if the factor of a provider proves its user.
   *
   * @throws Refusal
   */
  completeStep(ctx: Context, input: ProviderInput, prove: ProveSecond): Promise<Reply>
  /**
   * Continues after a provider has enrolled a factor of this type in a session: the first second factor of a user has recovery
   * codes. Undefined if it is not the first one.
   */
  completeEnrolment(ctx: Context, enrolled: EnrolledElsewhere): Promise<Reply | undefined>
  /**
   * Returns whether a factor is the only second factor of a user who needs one.
   *
   * @throws AuthError `Callback` if a function of the application throws
   */
  mustStay(service: Service, held: Factor, options: RemoveFactorOptions): Promise<boolean>
  /** Ends what a factor that was removed has begun, and removes what stands in for the last one. */
  afterRemoval(service: Service, removed: Factor): Promise<void>
}

/** A form that is posted to `/signin/:id`, and is no way of signing in: of a second factor. */
export interface FormMethod {
  /** Its form, in the form of a provider, so that a path can name it and a page can show it. No list has it. */
  readonly provider: Provider
  /** Answers `POST /signin/:id`. */
  readonly post: Action<ProviderInput>
}

/** A sign-in whose session has begun. */
export interface BegunSignIn extends Enough {
  readonly userId: string
  readonly sessionId: string
}

/** Decides whether the user of a session has proven recently enough who they are. */
export interface Recency {
  /**
   * Returns whether the user has proven it recently enough for a change.
   *
   * @param elapsed Seconds that may have passed in addition, since the check at the beginning of a flow. Default: 0
   */
  isRecent(ctx: Context, change: 'link' | 'factor', elapsed?: number): Promise<boolean>
  /** Returns the URL of the page that asks, which then leads to another one. */
  getUrl(ctx: Context, callbackUrl: string): string
}

/** Signs JWTs with the keys that the service publishes at `/jwks`. */
export interface TokenSigner {
  /** The algorithms of the keys that sign, such as `EdDSA`: the first one signs what names none. */
  readonly algorithms: readonly string[]
  /** The public keys (RFC 7517 §5). */
  readonly keySet: { readonly keys: readonly object[] }
  /** The audience of the tokens that act for users without a limit of scopes: other tokens must have other ones. */
  readonly audience: string
  /**
   * Signs claims.
   *
   * @param typ The header `typ`, such as `at+jwt`: what accepts one type refuses tokens of every other one
   * @param algorithm One of `algorithms`. Default: the first one
   */
  readonly sign: (
    claims: Readonly<Record<string, unknown>>,
    typ: string,
    algorithm?: string,
  ) => Promise<string>
}

/** A change that matters to a user's security. */
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

/** A sign-in that is complete: the session has begun, and its cookies are part of the reply. */
export interface DoneSignIn {
  readonly provider: Provider
  readonly identity: Identity
  readonly userId: string
  /** Whether the user did not exist before. */
  readonly isNewUser: boolean
  /** How the user has proven it (RFC 8176), such as `pwd` and `otp`. */
  readonly methods: readonly AuthenticationMethod[]
  /** Where it leads: checked, absolute. */
  readonly callbackUrl: string
}

/** What the sign-in page shows of a provider. */
export type ShownProvider = Pick<
  Provider,
  'id' | 'name' | 'type' | 'mark' | 'button' | 'outOfBand'
> & {
  readonly fields?: Readonly<Record<string, ShownField>>
}

/** A field of a form: one with a value cannot be changed here. */
export interface ShownField extends Field {
  readonly value?: string
}

/** The values of the sign-in page. */
export interface SignInView extends PageContext {
  /** The absolute URL of the base path. */
  readonly base: string
  readonly providers: readonly ShownProvider[]
  readonly csrfToken: string
  readonly callbackUrl: string
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string | undefined
  /** Whether the message says what comes next, and not what went wrong. Default: false */
  readonly isStep?: boolean | undefined
  /** What the user has typed into the form of a provider, which is shown again. */
  readonly typed: TypedFields | undefined
  /** The signed-in user, who can continue without signing in again. */
  readonly signedInAs: string | undefined
  /** What each form posts besides. */
  readonly hidden?: Readonly<Record<string, string>>
  /** What each form has before its button. Default: nothing */
  readonly beforeButton?: Markup
  /** Whether the buttons are above the forms. Default: false */
  readonly providersFirst?: boolean | undefined
  /** The id of the provider of the last sign-in in this browser: a hint. */
  readonly lastUsed?: string | undefined
}

/** Returns the forms of a page. */
export type RenderForms = (view: SignInView) => readonly (Markup | undefined)[]

/** What the links below a form need of the page. */
export type LinksView = PageContext & {
  readonly base: string
  readonly callbackUrl: string
  /**
   * The step of the page, if several ways begin with an email address: the first one asks for it, the second one has the forms of
   * these ways. Default: the form asks for everything
   */
  readonly step?: 'first' | 'second'
  /** What a form beside the links posts for the second step: the token, and the email address that was typed. */
  readonly typedAddress?: { readonly csrfToken: string; readonly email: string }
}

/** What a form needs of the page. */
export type FormView = LinksView & {
  readonly csrfToken: string
  /** What each form of the page posts besides. */
  readonly hidden?: Readonly<Record<string, string>>
  /** What each form has before its button. */
  readonly beforeButton?: Markup
  /** The id of the provider of the last sign-in in this browser: a hint. */
  readonly lastUsed?: string | undefined
}

/** What the capability of a provider answers in place of the service, because it has further pages. */
export interface ProviderAnswers {
  /** Answers `GET /signin/:provider` if the query has `action`. */
  readonly show: Action<ProviderInput>
  /** Answers `POST /signin/:provider`. */
  readonly start: Action<ProviderInput>
  /** Answers `GET /callback/:provider`. */
  readonly receive: Action<ProviderInput>
  /** Answers `POST /callback/:provider`. */
  readonly post: Action<ProviderInput>
  /** Fields of its forms, besides `fields`, of which a second value is refused. */
  readonly fields: readonly string[]
  /** Counts the requests to `start`. Default: `startsPerClient` */
  readonly startLimit?: OwnLimit
  /** Returns what the sign-in page has below the form: sentences with links. */
  readonly renderLinks?: (view: LinksView) => Markup
  /** Returns the form of the provider, in place of a form with its fields. */
  readonly renderForm?: (view: FormView) => Markup
  /** Makes the changes of `pending` of an identity, and returns the identity that begins the session. */
  readonly settle?: (ctx: Context, identity: Identity) => Promise<Identity>
  /** Notes that a second factor was proven after the factor of the provider. */
  readonly noteSecond?: (ctx: Context, provenBy: ProvenBy, userId: string) => Promise<void>
  /** Describes the emails of the provider. They do not sign in, so they are not in `outOfBand` of the provider itself. */
  readonly outOfBand?: OutOfBand
}

/** The user of a request, as stored. */
export interface SignedInUser {
  readonly storage: GuardedStorage
  readonly user: StoredUser
  readonly sessionId: string
}

/** What a form of the account page asks for. */
export interface Asked extends SignedInUser {
  readonly ctx: Context
  readonly input: Input
  /** Returns a field of the form; empty if it is missing. */
  readonly get: (name: string) => string
  /** Where a confirmation leads. */
  readonly returnUrl: string
  /** Where the reply to a stored change leads. */
  readonly savedUrl: string
  /** @throws Refusal `ConfirmationRequired`, which leads to `returnUrl` after the confirmation */
  readonly checkRecent: (change: 'link' | 'factor') => Promise<void>
  /** Returns the refusal that shows the account again, with the reason why nothing was changed. */
  readonly refuse: (status: number, reason: ChangeProblem, value?: string) => Refusal
  /** Shows the account after the change, and tells the script of a provider what is gone. */
  readonly showSaved: (gone: object) => Promise<Reply>
  /** @throws Refusal with 400 if the name that `store` receives is invalid */
  readonly checkName: <T>(length: number, store: () => Promise<T>) => Promise<T>
}

/** A change of the account. What it returns replaces the redirect to the account page. */
export type AccountChange = (asked: Asked) => Promise<Reply | void>

/**
 * A part of the account page, as data: what a capability gives looks like everything else there. Parts with the same `id` are one
 * section, of which the first one says the heading.
 */
export interface AccountSection {
  /**
   * `[a-z-]+`: links lead to it. The account page has `profile`, `ways` (to sign in), `sessions` and `delete`, and the second factor
   * `factors`.
   */
  readonly id: string
  /** Parts of lower rank come before others. Those sections have 10, 20, 40, 100 and 30. */
  readonly rank: number
  /** Returns what the part shows to the user of a session. Without rows, forms and links it is left out. */
  readonly read: (
    ctx: Context,
    signedIn: Pick<SignedInUser, 'storage' | 'user'>,
  ) => Promise<SectionContent>
  /** The changes, by the value of the field `action`. Default: none */
  readonly changes?: ReadonlyMap<string, AccountChange>
  /**
   * Those of `changes` that remove what opens the account: after a reset of the password, users review the rows that post
   * them. Default: none
   */
  readonly removals?: readonly string[]
}

/** What a part of the account page shows. Texts are in the language of the request. */
export interface SectionContent {
  readonly heading?: string
  /** A short sentence below the heading. */
  readonly text?: string | undefined
  readonly rows?: readonly AccountRow[]
  /** Forms below the rows, such as one that adds something. */
  readonly forms?: readonly AccountForm[]
  /** Links below the rows, to pages that add something. */
  readonly links?: readonly WayLink[]
  /** Renders what a script finds, below the rows. */
  readonly render?: (view: SectionView) => Markup
  /** Members of the account in JSON. Default: none */
  readonly json?: Readonly<Record<string, unknown>>
}

/** What a part of the account page can render for its script. */
export type SectionView = FormView & {
  /** Whether a change was just stored. */
  readonly isSaved: boolean
  /** What the change says is gone: `showSaved`. */
  readonly gone: object | undefined
}

/** A kind of factor that a capability keeps, by which users sign in. */
export interface FactorKind {
  readonly type: string
  /** Returns whether a factor counts as two, as a passkey that verifies its user. Default: none does */
  readonly isBoth?: (factor: Factor) => boolean
  /**
   * Returns whether a factor signs in, as a passkey does at the origin of its RP ID.
   *
   * @param origin Undefined if it is not known
   */
  readonly isUsable: (factor: Factor, origin: string | undefined) => boolean
  /** What the user is told of when one is removed. */
  readonly removal: SecurityChange
}

/** What a capability adds to a sign-in that is complete. */
export interface Done {
  /** Default: none */
  readonly cookies?: readonly CookieChange[]
  /** A page that the sign-in leads to first. Default: none */
  readonly page?: {
    /** Pages of lower rank come before others. Those of Latchkey have 1 and 2. */
    readonly rank: number
    /**
     * Returns the absolute URL of the page.
     *
     * @param callbackUrl Where the page must lead: it reads it back with `getReturnUrl`
     */
    readonly getUrl: (callbackUrl: string) => string
  }
}

/**
 * Why what could become a session of a user ends:
 * `application`: `auth.sessions.revokeAll` without a request · `user`: the user ends the other sessions · `recovery`: someone else may
 * have had access, so the sessions end at a new password, the first second factor, and the link of an email about security ·
 * `passwordRemoved`: only sign-ins in progress end, and the sessions stay
 */
export type EndReason = 'application' | 'user' | 'recovery' | 'passwordRemoved'

/**
 * What a package adds to a service: an element of the option `use`. It is a value that does nothing by itself:
 * `createAuth` reads it once, checks it against the others, and calls what it contributes. Several services can use the same one.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { RequestContext, json } from '@latchkey/core/capability'
 *   import type { Capability } from '@latchkey/core/capability'
 *
 *   function whoAmI(): Capability<{ readonly userId: (request: Request) => Promise<string | undefined> }> {
 *     return {
 *       id: 'whoAmI',
 *       routes: [
 *         {
 *           method: 'GET',
 *           path: '/who-am-i',
 *           speaks: 'json',
 *           action: async (ctx) => json({ id: (await ctx.readSession()).session?.token.sub ?? null }),
 *         },
 *       ],
 *       members: (service) => ({
 *         async userId(request) {
 *           const { session } = await new RequestContext(service, request, {}).readSession()
 *           return session?.token.sub
 *         },
 *       }),
 *     }
 *   }
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, use: [whoAmI()] })
 *   const id = await auth.userId(new Request('https://example.com/'))
 *
 * @typeParam Members What `members` returns, and `auth` has then. Default: nothing that the compiler knows
 */
export interface Capability<Members = unknown> {
  /** `[a-z][A-Za-z0-9]*`, unique in a service: the name of its options in messages. */
  readonly id: string
  /**
   * Checks the other options. It is called once, by `createAuth`.
   *
   * @throws ConfigurationError if another option does not fit, or is missing
   */
  readonly check?: (parts: OptionParts) => void
  /** Capabilities that come along, with what they need, unless one with the same id is in use. Default: none */
  readonly needs?: readonly Capability[]
  /** Is called once for each service, before it answers. */
  readonly start?: (service: Service) => void
  /** URLs below the base path. Default: none */
  readonly routes?: readonly CapabilityRoute[]
  /** Pages of `GET /signin`. Default: none */
  readonly pages?: readonly SignInPage[]
  /** What a flow at a provider can be for besides signing in. Default: none */
  readonly purposes?: readonly PurposeRow[]
  /** Fields of its forms, of which a second value is refused: no purpose and no other capability has them. Default: none */
  readonly fields?: readonly string[]
  /** Its limits, of `createOwnLimits`: no other capability counts under their names. Default: none */
  readonly limits?: readonly OwnLimit[]
  /** Its cookies, by a key of 1 to 32 letters `a` to `z`: `getOwnCookie(ctx, key)` returns one. Default: none */
  readonly cookies?: Readonly<Record<string, OwnCookie>>
  /** Rules that its pages add to the style sheet: those that several capabilities give are there once. */
  readonly style?: readonly string[]
  /** Forms that are posted to `/signin/:id`, by id. */
  readonly methods?: ReadonlyMap<string, FormMethod>
  /** Signs JWTs for other capabilities. Only one capability has it. */
  readonly signer?: TokenSigner
  /** Decides who has confirmed recently enough. Only one capability has it. */
  readonly recency?: Recency
  /** The point between a proof and its session. Only one capability has it: its owner decides. If it fails, nothing is stored. */
  readonly proven?: Proofs
  /** Stops sign-ins that have proven enough. Default: none is stopped */
  readonly admission?: Admission
  /** Returns what factors without a name are called, by their types. Default: the type */
  readonly typeNames?: (messages: Messages) => Readonly<Record<string, string>>
  /** Types of factors that only stand in for others, such as recovery codes: a user cannot sign in by them. Default: none */
  readonly backups?: readonly string[]
  /** Returns false to end a session that has begun, and to take back what was stored with it (`SessionRequired`). */
  readonly begun?: (ctx: Context, signIn: BegunSignIn) => Promise<boolean>
  /**
   * Returns false to end a session when it is renewed.
   *
   * @throws AuthError `Callback` if that cannot be decided: the session stays as it is
   */
  readonly renewed?: (session: Session) => Promise<boolean>
  /**
   * Ends what could become a session of a user, or outlive it: before the sessions end, and after. It can be repeated.
   *
   * @param reason Why it ends
   */
  readonly endAll?: (service: Service, userId: string, reason: EndReason) => Promise<void>
  /**
   * Returns events of the outbox that are stored in the step that deletes a user. If it fails, nothing is deleted.
   *
   * @param ctx The request that deletes the user; undefined if the server does
   */
  readonly deleting?: (
    service: Service,
    userId: string,
    ctx: Context | undefined,
  ) => Promise<readonly StoredEvent[]>
  /**
   * Returns further members of what `createAuth` returns: functions that receive a `Request`, or work for the server. None
   * may have the name of another member: capabilities that share members give the same function here.
   */
  readonly members?: (service: Service) => Members
  /**
   * Counts a change of a session's user that gives a lasting way in, before it is made.
   *
   * @throws AuthError `RateLimited`, `Unavailable`
   */
  readonly limitChange?: (ctx: Context, userId: string) => Promise<void>
  /** Is told of a change after its step. If it fails, that is logged. */
  readonly changed?: (change: Change) => Promise<void>
  /** Adds cookies to a sign-in, and a page that it leads to. If it fails, that is logged, and the sign-in continues. */
  readonly done?: (ctx: Context, signIn: DoneSignIn) => Promise<Done | undefined>
  /** Renders the forms of the sign-in page. Only one capability has it. Default: one form per provider */
  readonly renderForms?: RenderForms
  /** Of the capability of a provider: what it answers in place of the service. */
  readonly answers?: ProviderAnswers
  /** The kind of factor by which its provider signs users in. Default: none */
  readonly factor?: FactorKind
  /** Parts of the account page. Default: none */
  readonly account?: readonly AccountSection[]
  /** Returns what the ids of all valid tokens for an email address end with. Only one capability has it. */
  readonly getTokenSuffix?: (ctx: TokenContext, address: string) => Promise<string>
  /** Exactly the text whose hash the Content-Security-Policy contains, on pages that have it. Only one capability has it. */
  readonly script?: string
}

/** What the capabilities of a list add to what `createAuth` returns: their type parameter. */
export type MembersOf<Use extends readonly Capability[]> = (
  Use[number] extends infer Each
    ? Each extends Capability<infer Members>
      ? (members: Members) => void
      : never
    : never
) extends (members: infer All) => void
  ? All
  : unknown

/** A provider that carries a capability, which is in use with it. Its id begins with `providers.`. */
export interface CapableProvider extends Provider {
  readonly capability: Capability
}

/** Returns the capability that a provider carries; undefined if it carries none. */
export function getCarried(provider: object): Capability | undefined {
  return isCapable(provider) ? provider.capability : undefined
}

function isCapable(provider: object): provider is CapableProvider {
  return 'capability' in provider
}

/** Returns what describes the emails of a provider; undefined if it sends none. */
export function getOutOfBand(provider: Pick<Provider, 'outOfBand'>): OutOfBand | undefined {
  return provider.outOfBand ?? getCarried(provider)?.answers?.outOfBand
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
  readonly cookies: Readonly<Record<string, OwnCookie>>
  readonly methods: ReadonlyMap<string, FormMethod>
  readonly recency: Recency | undefined
  readonly signer: TokenSigner | undefined
  readonly proven: Proofs | undefined
  readonly renderForms: RenderForms | undefined
  /** The types of factors by which users sign in, as the providers declare them. */
  readonly signsInBy: readonly string[]
  /** The types of factors that only stand in for others. */
  readonly backups: readonly string[]
}
