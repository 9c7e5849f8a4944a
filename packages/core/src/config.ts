import type { LimitsOptions } from './limits/limits.ts'
import type { Timeouts } from './http/outbound-fetch.ts'
import type { MessagesOptions } from './pages/messages.ts'
import type { ThemeOptions } from './pages/theme.ts'
import type { ErrorCode } from './errors.ts'
import type { Limiter } from './ports/limiter.ts'
import type { Logger } from './ports/logger.ts'
import type { Provider } from './ports/provider.ts'
import type { Account, StoredUser, User } from './ports/records.ts'
import type { Runtime } from './ports/runtime.ts'
import type { SessionImporter } from './ports/session-importer.ts'
import type { Storage } from './ports/storage.ts'
import type { AllowRedirect } from './http/return-url.ts'

type Awaitable<T> = T | Promise<T>

/** What a session carries: the registered claims, and what `callbacks.jwt` adds. */
export interface SessionToken {
  /** The user's id. */
  readonly sub: string
  readonly name?: string | null | undefined
  readonly email?: string | null | undefined
  readonly picture?: string | null | undefined
}

/** What a client sees of a session, unless `callbacks.session` says otherwise (I-33). */
export interface DefaultSession {
  readonly user: {
    readonly id: string
    readonly name: string | null
    readonly email: string | null
    readonly image: string | null
  }
  /** When the session ends if nobody uses it: ISO 8601, UTC. */
  readonly expires: string
}

/** One sign-in that the provider has proven, as the callbacks and events see it. */
export interface SignIn {
  readonly user: User
  readonly account: Account
  /** Everything the provider said of the person, as it came. */
  readonly profile: Readonly<Record<string, unknown>>
}

/** Decisions of the application. One that throws refuses. */
export interface Callbacks<Session, Token extends SessionToken> {
  /**
   * Whether a person who has proven who they are may sign in: `true`, `false` (`AccessDenied`), or
   * an address to send them to instead, which goes through I-41 like any other.
   */
  readonly signIn?: (signIn: SignIn) => Awaitable<boolean | string | URL>
  /** Whether an address outside the service's own origin may be returned to: only `true` allows. */
  readonly redirect?: AllowRedirect
  /** What a session carries: at sign-in (`signIn`), and when it is renewed (`renew`). */
  readonly jwt?: (args: JwtArguments) => Awaitable<Token>
  /** What clients see of the session. Its return type is the type of the session everywhere. */
  readonly session?: (args: {
    readonly session: DefaultSession
    readonly token: NoInfer<Token>
    /** The user as the storage has them now; undefined where it was not asked. */
    readonly user?: StoredUser | undefined
  }) => Awaitable<Session>
}

/** What `callbacks.jwt` is given. `token` at a renewal is what the session carried until now. */
export type JwtArguments =
  | ({ readonly trigger: 'signIn'; readonly token: SessionToken } & SignIn)
  | { readonly trigger: 'renew'; readonly token: SessionToken & Readonly<Record<string, unknown>> }

/** Told after the fact, never waited for. One that throws is logged and changes nothing. */
export interface Events<Session = unknown, Token extends SessionToken = SessionToken> {
  readonly signIn?: (event: SignIn) => unknown
  readonly signOut?: (event: { readonly token: Token }) => unknown
  /** A user has been stored. */
  readonly createUser?: (event: { readonly user: User }) => unknown
  /** A further account has been linked to a user: by themselves, or by a verified address. */
  readonly linkAccount?: (event: SignIn) => unknown
  /** On each read of a session through `GET /session`. */
  readonly session?: (event: { readonly session: Session; readonly token: Token }) => unknown
  readonly updateSession?: (event: { readonly session: Session; readonly token: Token }) => unknown
  readonly signInFailed?: (event: {
    readonly provider: string
    readonly error: ErrorCode
  }) => unknown
}

/** How long sessions last, and what clients may change of them. */
export interface SessionOptions<Token extends SessionToken> {
  /**
   * Where sessions are kept (I-34): `cookie`, encrypted in the browser, or `storage`, which has to be
   * asked at each read and can end them. Default: `storage` where there is one.
   */
  readonly strategy?: 'cookie' | 'storage'
  /**
   * Whether sessions of the strategy `cookie` stand in the storage too, so that they can be listed
   * and ended there: each read then asks it. Default: false.
   */
  readonly revocable?: boolean
  /**
   * Readers of the sessions of the service that was here before, such as `nextAuthV4` and `authJs`:
   * whoever was signed in there is signed in here. Default: none.
   */
  readonly importFrom?: readonly SessionImporter[]
  /** Seconds without use until a session ends. Default: 2,592,000 (30 days). */
  readonly maxAge?: number
  /** Seconds until a session in use is renewed; between two renewals nothing is written. Default: 86,400 (1 day), or half of `maxAge` where that is less. */
  readonly updateAge?: number
  /** Seconds after which a session ends even in use. Default: none. */
  readonly absoluteMaxAge?: number
  /**
   * Answers `POST /session`: what the session carries from now on. `data` is what a client sent; check
   * it. Without this callback a client can change nothing.
   */
  readonly update?: (args: {
    readonly token: NoInfer<Token>
    readonly data: unknown
  }) => Awaitable<NoInfer<Token>>
}

/** Own pages instead of the built-in ones: absolute http(s) addresses, or paths on the service's origin. */
export interface PagesOptions {
  readonly signIn?: string
  readonly signOut?: string
  readonly error?: string
  readonly verifyRequest?: string
}

/** Other names for the cookies (without prefix), and the session cookie's domain (I-15). */
export interface CookiesOptions {
  readonly csrf?: { readonly name?: string }
  readonly session?: { readonly name?: string; readonly domain?: string }
  readonly flow?: { readonly name?: string }
  readonly return?: { readonly name?: string }
}

/** What `createAuth` takes. `secret` and `providers` are all it needs on loopback. */
export interface AuthConfig<
  Session = DefaultSession,
  Token extends SessionToken = SessionToken & Readonly<Record<string, unknown>>,
> {
  /** At least 32 bytes, or a list of such texts: the first seals, all of them open. */
  readonly secret: string | readonly string[]
  readonly providers: readonly Provider[]
  /** The public address of the service (I-1): origin, and the base path where it is not `/api/auth`. */
  readonly serviceUrl?: string | URL | undefined
  /** Takes the origin from the request where `serviceUrl` is not set: only behind a host that vouches for it. */
  readonly trustHost?: boolean
  /** Allows plain http on other hosts than loopback. */
  readonly allowInsecure?: boolean
  /** Where users, accounts and sessions are kept. Without one nothing is stored anywhere but in the browser. */
  readonly storage?: Storage
  readonly callbacks?: Callbacks<Session, Token>
  readonly session?: SessionOptions<Token>
  readonly events?: Events<NoInfer<Session>, NoInfer<Token>>
  readonly pages?: PagesOptions
  readonly theme?: ThemeOptions
  /** Languages besides English, and replacements of single texts. Default: English alone */
  readonly messages?: MessagesOptions
  readonly cookies?: CookiesOptions
  readonly limits?: LimitsOptions
  /** Who counts for `limits`. Default: the storage where it can, else this process. */
  readonly limiter?: Limiter
  /** Seconds for one outbound request (default 10) and for all of one sign-in step (default 15). */
  readonly timeouts?: Partial<Timeouts>
  readonly logger?: Logger
  readonly runtime?: Partial<Runtime>
}
