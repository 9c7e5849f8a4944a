import type { ErrorCode } from './errors.ts'
import type { CookiesOptions } from './http/cookie-names.ts'
import type { AccountOption } from './account/option.ts'
import type { Confirmation } from './confirmation/option.ts'
import type { Timeouts } from './http/outbound-fetch.ts'
import type { MetadataCache } from './oauth/issuer-documents.ts'
import type { AllowRedirect } from './http/return-url.ts'
import type { Awaitable } from './lib/awaitable.ts'
import type { LimitsOptions } from './limits/limits.ts'
import type { Outbox } from './outbox/event-outbox.ts'
import type { PagesOptions } from './pages/custom-pages.ts'
import type { MessagesOptions } from './pages/messages.ts'
import type { ThemeOptions } from './pages/theme.ts'
import type { Limiter } from './ports/limiter.ts'
import type { Logger } from './ports/logger.ts'
import type { Provider } from './ports/provider.ts'
import type {
  Account,
  AccountInfo,
  Authentication,
  Factor,
  SecurityChange,
  StoredUser,
  User,
} from './ports/records.ts'
import type { Runtime } from './ports/runtime.ts'
import type { Storage } from './ports/storage.ts'
import type { SecondFactor } from './second-factor/option.ts'
import type { SecurityEmails } from './security-emails/option.ts'
import type { SessionImporter } from './session/session-imports.ts'
import type { SessionToken, UntypedToken } from './session/session-claims.ts'
import type { CookieAccessTokens } from './access-tokens/token-keeper.ts'
import type { ApiTokens } from './tokens/token-issuer.ts'

/** What a client sees of a session by default. */
export interface DefaultSession {
  readonly user: {
    readonly id: string
    readonly name: string | null
    readonly email: string | null
    /** Whether the email address is proven. If not, it may be another person's. */
    readonly emailVerified: boolean
    readonly image: string | null
  }
  /** When the session ends if it is not used: ISO 8601, UTC. */
  readonly expires: string
}

/**
 * A proven sign-in, as callbacks receive it: with the tokens of the account. `Fields` are the
 * application's own fields of the user, as the storage keeps them.
 */
export interface SignIn<Fields = unknown> {
  readonly user: User & Fields
  readonly account: Account
  /** All claims of the provider, unchanged. */
  readonly profile: Readonly<Record<string, unknown>>
  /** How the user proved who they are. Before a message is sent it has no methods. */
  readonly authentication: Authentication
}

/** The argument of `callbacks.signIn`: a proven sign-in, or a request to send a message. */
export interface SignInArguments<Fields = unknown> extends SignIn<Fields> {
  /**
   * Set before a message is sent, when nothing is proven yet. `user` and `account` have only the email
   * address that was typed, whether or not a stored user has it.
   */
  readonly email?: { readonly verificationRequest: true } | undefined
}

/**
 * Decisions of the application. A callback that throws refuses.
 *
 * @typeParam Session What `session` returns
 * @typeParam Token What `jwt` returns
 * @typeParam Fields The application's own fields of a stored user
 * @typeParam Renewed What `jwt` receives at a renewal: `Token`, if the function names its return type
 */
export interface Callbacks<
  Session,
  Token extends SessionToken,
  Fields = unknown,
  Renewed extends SessionToken = Token,
> {
  /**
   * Decides whether a proven identity may sign in: `true`; `false` (`AccessDenied`); or a URL to
   * redirect to instead, which is checked like any return URL. It is asked before a sign-in
   * email is sent too (`email.verificationRequest`). Default: `true`
   */
  readonly signIn?: (signIn: SignInArguments<NoInfer<Fields>>) => Awaitable<boolean | string | URL>
  /** Decides whether a URL outside the service's origin may be returned to: only `true` allows it. */
  readonly redirect?: AllowRedirect
  /**
   * Returns what a session carries: at a sign-in, and when the session is renewed. A return type makes
   * the claims typed at a renewal too. Null ends the session; at a sign-in it is `AccessDenied`.
   *
   * @example
   *   import { createAuth } from '@latchkey/core'
   *   import type { AuthConfig, SessionToken } from '@latchkey/core'
   *
   *   declare const config: Pick<AuthConfig, 'secret' | 'providers'>
   *   interface AppToken extends SessionToken {
   *     readonly renewals: number
   *   }
   *   const auth = createAuth({
   *     ...config,
   *     callbacks: {
   *       jwt: ({ token, user }): AppToken =>
   *         user ? { ...token, renewals: 0 } : { ...token, renewals: token.renewals + 1 },
   *     },
   *   })
   */
  readonly jwt?: (args: JwtArguments<Renewed, NoInfer<Fields>>) => Awaitable<Token | null>
  /**
   * Returns what clients see of a session. The return type is the type of the session everywhere. A function
   * that returns nothing does not compile, and is an error of the request (`Callback`) at run time.
   */
  readonly session?: (args: {
    readonly session: DefaultSession
    readonly token: NoInfer<Token>
    /** The stored user with the application's own fields, if it was loaded. */
    readonly user?: (StoredUser & NoInfer<Fields>) | undefined
    /** How the user proved who they are; undefined if the session does not know it. */
    readonly authentication?: Authentication | undefined
  }) => Awaitable<Session> & Returned<Session>
}

/** A callback that returns nothing, at least sometimes, does not compile: the compiler prints this text. */
type Returned<Session> = unknown extends Session
  ? unknown
  : undefined extends Session
    ? MissingSession
    : [Session] extends [void]
      ? MissingSession
      : unknown

type MissingSession = 'return what clients see of a session, such as { ...session }'

/** What the compiler prints about an option of next-auth. */
export interface RenamedOptions {
  /** Not an option: `storage` is. */
  readonly adapter?: 'write storage: authjsStorage(adapter), of @latchkey/storage-authjs'
}

/**
 * The arguments of `callbacks.jwt`: at the first sign-in of a new user (`signUp`), at any other
 * sign-in (`signIn`), and when a session is renewed or imported (`renew`). At a renewal `token` is what the
 * callback returned last time.
 */
export type JwtArguments<Token extends SessionToken = UntypedToken, Fields = unknown> =
  | (SignIn<Fields> & {
      readonly trigger: 'signIn' | 'signUp'
      readonly token: SessionToken
      /** Whether the sign-in stores the user: false without a storage. */
      readonly isNewUser: boolean
    })
  | ({ readonly trigger: 'renew'; readonly token: Token } & {
      readonly [Name in keyof SignIn | 'isNewUser']?: undefined
    })

/** What the events of a request have in common. */
interface RequestEvent {
  /** The client's IP address; absent if the host does not supply it. */
  readonly ip?: string
}

/** What the events of a sign-in have in common. */
interface ProviderEvent extends RequestEvent {
  readonly user: User
  /** The provider's id. */
  readonly provider: string
  /** The session's id, as `auth.sessions` lists it. It cannot be used to sign in. */
  readonly sessionId: string
}

/** A linked account, as events receive it: without tokens. */
export interface AccountEvent extends ProviderEvent {
  /** Without its tokens: an event often ends in a log. */
  readonly account: AccountInfo
  /** All claims of the provider, unchanged. */
  readonly profile: Readonly<Record<string, unknown>>
}

/** A completed sign-in, as events receive it: without tokens. */
export interface SignInEvent extends AccountEvent {
  /** Whether the sign-in has stored the user: false without a storage. */
  readonly isNewUser: boolean
  /** How the user proved who they are. */
  readonly authentication: Authentication
}

interface SessionEvent<Session, Token> extends RequestEvent {
  readonly session: Session
  readonly token: Token
  /** How the user proved who they are; absent if the session does not know it. */
  readonly authentication?: Authentication | undefined
}

/**
 * Listeners, called after the fact. If one throws, that is logged and changes nothing. A request does
 * not wait for them: the host keeps itself alive by `waitUntil`. No event has the tokens of an account.
 */
export interface Events<Session = unknown, Token extends SessionToken = SessionToken> {
  /** A user signed in. */
  readonly signIn?: (event: SignInEvent) => unknown
  /** A sign-in failed, when it began or at its callback. */
  readonly signInFailed?: (
    event: RequestEvent & { readonly provider: string; readonly error: ErrorCode },
  ) => unknown
  /** A user signed out of a session. */
  readonly signOut?: (
    event: RequestEvent & { readonly token: Token; readonly sessionId: string },
  ) => unknown
  /** A user was stored. */
  readonly createUser?: (event: ProviderEvent) => unknown
  /**
   * A sign-in or a linked account has changed a user: the email address is verified, or the missing name
   * or image is set. Or `auth.users.update` has: then there is neither `provider` nor `sessionId`.
   */
  readonly updateUser?: (
    event: Pick<ProviderEvent, 'user' | 'ip'> & Partial<Omit<ProviderEvent, 'user'>>,
  ) => unknown
  /** `auth.users.delete` deleted a user. */
  readonly deleteUser?: (event: { readonly userId: string }) => unknown
  /** An account was linked: the account of a new user, by the user, or by a verified email address. */
  readonly linkAccount?: (event: AccountEvent) => unknown
  /** A sign-in joined the user who had its email address unverified, and ended the accounts that `joinsUnverified` did not keep. */
  readonly joinUser?: (event: ProviderEvent & { readonly ended: readonly AccountInfo[] }) => unknown
  /** `auth.accounts.unlink` unlinked an account. */
  readonly unlinkAccount?: (event: {
    readonly userId: string
    readonly account: Pick<AccountInfo, 'provider' | 'providerAccountId'>
  }) => unknown
  /** A user enrolled a second factor. */
  readonly enrolFactor?: (event: FactorEvent & Pick<RequestEvent, 'ip'>) => unknown
  /** `auth.factors.remove` removed a factor. */
  readonly removeFactor?: (event: FactorEvent) => unknown
  /** A session was read through `GET /session`. */
  readonly session?: (event: SessionEvent<Session, Token>) => unknown
  /** A session was changed through `POST /session`. */
  readonly updateSession?: (event: SessionEvent<Session, Token>) => unknown
  /** A provider ended sessions by a back-channel logout; often none of them still existed. */
  readonly providerLogout?: (event: {
    /** The provider's id. */
    readonly provider: string
    readonly sessionIds: readonly string[]
  }) => unknown
  /** `auth.sessions.revoke` ended one session, or `revokeAll` all sessions of a user. */
  readonly revokeSession?: (event: {
    readonly userId: string
    /** Absent if all were ended. */
    readonly sessionId?: string
    /** The session that `revokeAll` did not end. */
    readonly except?: string
  }) => unknown
  /**
   * Something changed of which the option `securityEmails` notifies a user, also if no email was sent: because of the
   * limit, or because the email address is not proven.
   */
  readonly securityChanged?: (
    event: RequestEvent & {
      readonly user: User
      readonly change: SecurityChange
      /** Such as `Firefox (Windows)`; absent for calls of the server, and if it is not known. */
      readonly browser?: string
      /** Seconds since 1970. */
      readonly at: number
    },
  ) => unknown
}

/** Decides whether an identity that proves an email address joins the one user who has it unverified. */
export type JoinsUnverified<Fields = unknown> = (found: {
  readonly user: StoredUser & Fields
  readonly accounts: readonly AccountInfo[]
}) => Awaitable<readonly AccountInfo[] | false>

/** What an event about a factor has. */
interface FactorEvent {
  readonly userId: string
  readonly factor: Pick<Factor, 'type' | 'id' | 'name'>
}

/**
 * How long sessions last, where they are kept, and what clients may change of them.
 *
 * @typeParam Token What `update` receives and returns
 */
export interface SessionOptions<Token extends SessionToken> {
  /**
   * Where sessions are kept: `cookie`, encrypted in the browser; or `storage`, which is asked
   * at each read and can end them. Default: `storage` if there is one
   */
  readonly strategy?: 'cookie' | 'storage'
  /**
   * Whether sessions of the strategy `cookie` are also recorded in the storage, so that they can be
   * listed and ended there: each read then asks the storage. Default: false
   */
  readonly revocable?: boolean
  /**
   * Whether the session of a deleted user may continue until its next renewal, after `updateAge` at most:
   * cookie sessions that are not `revocable` do, and with a storage `createAuth` warns of it
   * unless this is true. Default: false
   */
  readonly acceptsDeletedUsers?: boolean
  /**
   * Importers of a previous service's sessions, such as `nextAuthV4` and `authJs`, so that its users
   * stay signed in. Default: none
   */
  readonly importFrom?: readonly SessionImporter[]
  /**
   * What `/session` answers without a session: `object` is `{}`, as Latchkey and next-auth 4
   * clients expect; `null` is JSON's null, as next-auth 5 and Auth.js clients expect. Default: `object`
   */
  readonly empty?: 'object' | 'null'
  /**
   * What keeps the tokens of the account in the cookie, for `auth.getAccessToken`:
   * `cookieAccessTokens()` of `@latchkey/core/cookie-access-tokens`. For the strategy `cookie` without a
   * storage that keeps them. Default: none
   */
  readonly accessTokens?: CookieAccessTokens
  /** Seconds without use after which a session ends. Default: 2,592,000 (30 days) */
  readonly maxAge?: number
  /**
   * Seconds after which a session in use is renewed; nothing is written between two renewals.
   * Default: 86,400 (1 day), or half of `maxAge` if that is less
   */
  readonly updateAge?: number
  /** Seconds after which a session ends even in use. Default: none */
  readonly absoluteMaxAge?: number
  /**
   * Returns what the session carries from now on, after a `POST /session`. `data` comes from the
   * client: check it. Without this callback clients can change nothing.
   */
  readonly update?: (args: {
    readonly token: Token
    readonly data: unknown
  }) => Awaitable<NoInfer<Token>>
}

/** The types of a session and its token, as events receive them. */
export interface SessionTypes {
  readonly session: unknown
  readonly token: SessionToken
}

/**
 * The configuration of `createAuth`. On loopback `secret` and `providers` are enough.
 *
 * TypeScript fixes a type parameter as soon as a function needs it for an argument. Therefore functions
 * that may come before `callbacks`, and `callbacks.jwt` itself, have separate type parameters, whose
 * defaults are `Session` and `Token`: otherwise the two would be fixed before they are inferred.
 *
 * @typeParam Session What clients see: the result of `callbacks.session`
 * @typeParam Token What a session carries: the result of `callbacks.jwt`
 * @typeParam Fields The application's own fields of a user, as `storage` keeps them
 * @typeParam Renewed What `callbacks.jwt` receives at a renewal
 * @typeParam Updated What `session.update` receives and returns
 * @typeParam Emitted What events receive
 */
export interface AuthConfig<
  Session = DefaultSession,
  Token extends SessionToken = UntypedToken,
  Fields = unknown,
  Renewed extends SessionToken = Token,
  Updated extends SessionToken = Token,
  Emitted extends SessionTypes = { readonly session: Session; readonly token: Token },
> {
  /**
   * A random string of at least 32 bytes, or a list of them: the first seals, all of them open. To
   * replace it, append the new one in all processes, then put it first, then remove the old one after
   * `session.maxAge`.
   */
  readonly secret: string | readonly string[]
  /** The ways of signing in. The sign-in page shows first those with fields, then buttons, each in this order. */
  readonly providers: readonly Provider[]
  /** The service's public URL: its origin, and the base path if that is not `/api/auth`. */
  readonly serviceUrl?: string | URL | undefined
  /**
   * The hosts whose requests are answered if `serviceUrl` is not set, such as
   * `['example.com', '*.example.com', 'localhost:*']`. Without a port, a host has the default port of
   * the scheme; `:*` is every port, and `*.` is one label. Links in emails have the host of the request:
   * list no host that others can point elsewhere. `email()` and `passwords()` need `linkHost` beside a
   * wildcard. `true` trusts every host, for a server without emails whose proxy checks it, and warns.
   * Default: false, which answers only loopback
   */
  readonly trustHost?: boolean | readonly string[]
  /**
   * Origins of the service's site, such as `https://app.example.com` beside `https://auth.example.com`,
   * whose pages may return here, read the session, sign in and sign out. Each can act as the user:
   * list only those that are as trusted as the service. On loopback other ports can be listed. Default:
   * none
   */
  readonly trustedOrigins?: readonly string[] | undefined
  /** Whether plain http is allowed on other hosts than loopback. Default: false */
  readonly allowInsecure?: boolean
  /** Keeps users, accounts and sessions. Default: none, and only the browser keeps anything */
  readonly storage?: Storage<Fields>
  /** Decide who signs in, where a sign-in leads, and what sessions and clients see. Default: none */
  readonly callbacks?: Callbacks<Session, Token, Fields, Renewed>
  /**
   * An attacker who knows your address can prepare a user with it: at a provider that does not prove email addresses, or by
   * your own registration, with an account, a password or a passkey of the attacker. If you joined that user when you
   * sign in, the attacker would be signed in to your data. So an identity with a verified email address never gets a user
   * who has it unverified: it gets a new one.
   *
   * If you know which users are not prepared, such as those that existed before a move, this function lets them be
   * joined by a provider with `linkByVerifiedEmail`. It returns which of `accounts` stay: only those that belong
   * to the owner of the email address for certain. Every other account, every factor and every session of the user ends;
   * a password that the application keeps for `credentials()` does not. `false` joins nothing. It is asked only if exactly
   * one user has the email address, and may be asked twice in a sign-in. Needs a storage with the capability
   * `unverifiedUsers`, and sessions that can be ended. Default: none
   */
  readonly joinsUnverified?: JoinsUnverified<Fields>
  /** Where sessions are kept, how long they last, and what a client may change. Default: 30 days */
  readonly session?: SessionOptions<Updated>
  /**
   * Lets signed-in users prove again who they are: `confirmation({ maxAge })` of
   * `@latchkey/core/confirmation`. Linking then requires a recent proof. Stored sessions need a storage with the
   * capability `sessionData`. Default: none, and `auth.requireRecent` rejects
   */
  readonly confirmation?: Confirmation
  /**
   * Asks users who have a second factor for it: `secondFactor({ methods })` of
   * `@latchkey/core/second-factor`. Needs `confirmation`, a storage with the capabilities `factors` and
   * `increment`, and sessions that can be ended. Default: none
   */
  readonly secondFactor?: SecondFactor
  /**
   * Adds the page on which users change their account: `accountPages()` of `@latchkey/core/account`. Needs
   * `confirmation`, a storage with the capability `accountLists`, and sessions that can be ended: stored or
   * `revocable`. Default: none
   */
  readonly account?: AccountOption
  /**
   * Notifies users by email of changes that matter to their security: `securityEmails({ mailer, from })` of
   * `@latchkey/core/security-emails`. Needs `serviceUrl`, a storage with the capabilities `sessionLists`,
   * `increment` and `revocations`, and sessions that can be ended. Default: none
   */
  readonly securityEmails?: SecurityEmails
  /**
   * Tokens for APIs: `apiTokens({ audience, keys })` of `@latchkey/core/api-tokens`. Default:
   * none, and `/token` and `/jwks` are not found
   */
  readonly tokens?: ApiTokens
  /** Listeners of what has happened, such as `signIn`. They change nothing. Default: none */
  readonly events?: Events<Emitted['session'], Emitted['token']>
  /**
   * Stores events in the step that they describe, and delivers each at least once:
   * `outbox({ deliver })` of `@latchkey/core/outbox`. Default: none
   */
  readonly outbox?: Outbox
  /** Pages of the application in place of the built-in ones. Default: none */
  readonly pages?: PagesOptions
  /** The colours, the font, the logo and the marks of the built-in pages. Default: unbranded */
  readonly theme?: ThemeOptions
  /** Languages besides English, and replacements of single texts. Default: only English */
  readonly messages?: MessagesOptions
  /** Other names of the cookies, and a domain for the session. Default: `__Host-` names, for this host only */
  readonly cookies?: CookiesOptions
  /** How often clients may do what costs something or guesses a secret. Default: each limit's own */
  readonly limits?: LimitsOptions
  /** Counts for `limits`. Default: the storage if it can count, else this process */
  readonly limiter?: Limiter
  /**
   * Keeps the discovery documents and keys of issuers between processes: `kvCache(env.KV)` of
   * `@latchkey/durable-objects/kv`, or `metadataCache({ get, set })` of `@latchkey/core/metadata-cache`. Default:
   * none, and each process fetches them once
   */
  readonly metadataCache?: MetadataCache
  /**
   * How long a request to the service may wait, in seconds, each at most 300. Default: 10 for `request`,
   * 13 for `callback`, and one more than `callback` for `answer`
   */
  readonly timeouts?: Partial<Timeouts>
  /** Default: `console` */
  readonly logger?: Logger
  /** `fetch`, the clock and the source of random bytes, for tests and unusual hosts. Default: the platform's */
  readonly runtime?: Partial<Runtime>
}
