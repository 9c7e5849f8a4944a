import type { Awaitable } from './awaitable.ts'
import type { Logger } from './logger.ts'
import type { MailBrand } from './mailer.ts'
import type { Language, Messages } from './messages.ts'
import type { Count, Identity, Tokens } from './records.ts'
import type { ProviderRuntime } from './runtime.ts'
import type { StorageGroup } from './storage.ts'

/**
 * The purpose of a flow: to sign in, to link an account to the session's user, or what a capability adds, such as `confirm`:
 * the session's user proves to be present.
 */
export type Purpose = 'signIn' | 'link' | (string & {})

/** What `begin` keeps for `finish`, such as a PKCE verifier. It is sealed into the flow cookie. */
export type FlowState = Readonly<Record<string, string>>

/**
 * Single-use tokens. The storage holds an HMAC of the token with its purpose and identifier,
 * never the token itself.
 */
export interface OneTimeTokens {
  /**
   * Issues a token.
   *
   * @param identifier What the token proves, such as an email address
   * @param lifetime Seconds
   * @returns The token, 43 characters, and its id, under which it is stored
   */
  issue(
    purpose: Purpose,
    identifier: string,
    lifetime: number,
  ): Promise<{ readonly token: string; readonly id: string }>
  /** Uses a token. True for exactly one caller, and only before it expires. */
  use(purpose: Purpose, identifier: string, token: string): Promise<boolean>
  /** Uses a token by its id. */
  useById(identifier: string, id: string): Promise<boolean>
  /** Counts a key once more within the window (seconds). */
  count(key: string, window: number): Promise<Count>
  /** Returns the HMAC of a text that is too short for a bare hash. */
  sign(text: string): Promise<string>
  /** Checks an HMAC of `sign` in constant time. */
  verify(text: string, mac: string): Promise<boolean>
}

/** The input of {@link Provider.begin}. */
export interface BeginInput {
  /** The value to send as `state`; undefined if the provider's `checks` leave it out. */
  readonly state: string | undefined
  /** The absolute URL of `/callback/:provider`. */
  readonly redirectUri: string
  /** Query parameters of the client's POST; a provider forwards only those that it names. */
  readonly params: ReadonlyMap<string, string>
  /** Form fields of the client's POST. */
  readonly fields: ReadonlyMap<string, string>
  readonly purpose: Purpose
  /** The checked return URL. */
  readonly callbackUrl: string
  readonly language: Language
  /** The brand of `theme`, for messages. Default: none */
  readonly brand?: MailBrand | undefined
  readonly runtime: ProviderRuntime
  /** Available to providers whose `needs` include `verificationTokens`. */
  readonly tokens: OneTimeTokens
  /**
   * Counts one message to a mailbox or phone. All spellings that reach it must be one text.
   *
   * @param browserId If given, a message that signs in is counted for this browser with the mailbox, in
   *   place of all messages to the mailbox, so that other browsers cannot use up its limit
   * @throws AuthError `RateLimited`
   */
  readonly limitSending: (mailbox: string, browserId?: string) => Promise<void>
  /**
   * Counts one attempt to prove an identity by a secret, before it is made: for the client, for
   * the client with this name, for this name, and for all names. Only failures must count: after a
   * success, return the function that it returns as `takeBack`.
   *
   * @param name Whose secret it is. All spellings of it must be one text.
   * @param browserId If given, the attempt is counted for the client, and for this browser with the name,
   *   so that other browsers cannot use up its limit
   * @throws AuthError `RateLimited`
   */
  readonly limitAttempt: (name: string, browserId?: string) => Promise<() => Promise<void>>
  /**
   * Returns what the last sign-in through this provider left in this browser, `remember` of its
   * {@link Identity}; undefined if there is none.
   */
  readonly recall: () => Promise<unknown>
  /** The client's request. Its body has been read: `fields` has what was posted. */
  readonly request: Request
  /** The logger of the configuration, of which every message is redacted. */
  readonly log: Required<Logger>
  /**
   * Asks `callbacks.signIn` whether a message may be sent. Call it after `limitSending`, so that
   * its decisions cannot be tried out without a limit.
   *
   * @param identifier The email address or phone number that was typed
   * @returns Where to redirect instead of sending; undefined if the message may be sent
   *
   * @throws AuthError `AccessDenied`
   */
  readonly authorizeSending: (identifier: string) => Promise<URL | undefined>
}

/**
 * How a sign-in continues: at the identity provider, by a message that was sent, or immediately if the form
 * itself proves the identity; or why the application refuses it. A redirect without a flow ends the sign-in, as `authorizeSending` decides.
 */
export type BeginResult =
  | { readonly redirect: URL; readonly flow: FlowState }
  | { readonly redirect: URL }
  | { readonly sent: true; readonly flow: FlowState }
  /** The application refuses an identity that the form has proven: with a code for the page, or with a URL. */
  | { readonly refused: string }
  | {
      readonly identity: Identity
      /** Takes back what `limitAttempt` has counted, unless the user must still prove a second factor. */
      readonly takeBack?: () => Promise<void>
    }

/** The input of {@link Provider.finish}. Its `state` has been compared already. */
export interface CallbackInput {
  /** The parameters of the callback, from the query or the form. */
  readonly params: URLSearchParams
  readonly state: string | undefined
  readonly redirectUri: string
  /** What `begin` kept; empty if an {@link OutOfBand} callback arrives in another browser. */
  readonly flow: FlowState
  readonly purpose: Purpose
  readonly runtime: ProviderRuntime
  readonly tokens: OneTimeTokens
  /** Returns what the last sign-in through this provider left in this browser. */
  readonly recall: BeginInput['recall']
  /** The logger of the configuration, of which every message is redacted. */
  readonly log: Required<Logger>
}

/**
 * Describes callbacks that carry their own proof and may arrive in a browser that did not begin the
 * sign-in, or be opened by a mail scanner: links in an email. They need the option `storage`.
 */
export interface OutOfBand {
  /** Returns whether a callback answers this browser's flow. */
  matches(flow: FlowState, params: URLSearchParams): boolean | Promise<boolean>
  /**
   * Describes what a callback in another browser would do: whom it signs in, and the fields that the
   * page's button posts; undefined if the parameters are incomplete.
   */
  describeConfirmation(
    params: URLSearchParams,
  ): { readonly identifier: string; readonly fields: Readonly<Record<string, string>> } | undefined
  /**
   * Returns an email address as the provider's accounts have it; undefined if it sends no email there.
   * Default: unchanged
   */
  readonly parseAddress?: (text: string) => string | undefined
  /**
   * Describes a flow that waits for its callback: to whom the message went, whether a code may be typed,
   * and the fields of the provider's form that send the message again, if that is possible.
   */
  describePending(flow: FlowState): {
    readonly identifier: string
    readonly acceptsCode: boolean
    readonly fields?: Readonly<Record<string, string>>
  }
}

/** The metadata of an OpenID provider that a logout needs. */
interface OpenIdServer {
  readonly issuer: string
  readonly jwks_uri?: string
  readonly end_session_endpoint?: string
}

/** What `rpInitiatedLogout()` of `@latchkey/core/rp-initiated-logout` returns. It brings its code along. */
export interface RpInitiatedLogout {
  readonly begin: (...args: never[]) => Promise<unknown>
}

/** A client of an OpenID provider, for what follows a sign-in: logout. */
export interface OpenIdClient {
  readonly clientId: string
  /** How a sign-out continues at the provider: the option `logout`. */
  readonly logout: RpInitiatedLogout | undefined
  /**
   * Whether the logout endpoint takes `client_id` and `logout_uri` in place of the parameters of RP-Initiated
   * Logout 1.0, and returns no `state`. Default: false
   */
  readonly usesLogoutUri?: boolean
  /** Returns the metadata of the provider. */
  readonly getServer: (runtime: ProviderRuntime) => Promise<OpenIdServer>
  /** Returns the `iss` that a token with these claims must have. */
  readonly getIssuer: (server: OpenIdServer, claims: Readonly<Record<string, unknown>>) => string
  /** Returns the `providerAccountId`, or a promise of it; undefined if the claims do not say it. */
  readonly getSubject: (claims: Readonly<Record<string, unknown>>) => unknown
  /**
   * Runs a check with the keys of the provider, as for an ID Token, and with separate limits for the
   * fetches of keys, because anyone can send a Logout Token.
   */
  readonly verifyWithKeys: (
    server: OpenIdServer,
    runtime: ProviderRuntime,
    check: (jwks: { readonly keys: readonly JsonWebKey[] }) => Promise<void>,
    request: { readonly kid: unknown },
  ) => Promise<void>
}

/** A check of one sign-in. */
export type Check = 'state' | 'pkce' | 'nonce'

/** A form field that a provider asks for on the sign-in page. */
export interface Field {
  /**
   * The label: a text, or a function that picks one from the page's messages, or by the page's language (a tag of
   * BCP 47 in lower case, such as `de`).
   */
  readonly label: string | ((messages: Messages, tag: string) => string)
  /** The type of the `<input>`. Default: `text` */
  readonly type?: 'text' | 'email' | 'password' | 'tel' | 'url'
  /** The `autocomplete` attribute (HTML §4.10.18.7). Default: none */
  readonly autocomplete?: string
  /** The `inputmode` attribute (HTML §6.8.7), such as `numeric` for digits. Default: none */
  readonly inputMode?: 'numeric' | 'decimal' | 'tel' | 'email' | 'url'
  /** Default: true */
  readonly required?: boolean
  /** Characters. Default: 255 */
  readonly maxLength?: number
}

/** Returns the id that the user of an identity has today; undefined if the application knows none. */
export type GetUserId = (identity: {
  /** The provider's identifier of the user. */
  readonly subject: string
  /** All claims of the provider, unchanged. */
  readonly profile: Readonly<Record<string, unknown>>
}) => Awaitable<string | null | undefined>

/** A way of signing in. */
export interface Provider {
  /** The path segment: `[a-z0-9-]+`. */
  readonly id: string
  /** The name on the sign-in page. */
  readonly name: string
  /** What clients show and decide by: `GET /providers` lists it. */
  readonly type: 'oidc' | 'oauth' | 'email' | 'credentials' | (string & {})
  /**
   * The mark on its button: inline SVG, such as those of `@latchkey/core/marks/*`. Default: for an identity
   * provider the first letter of its name, for others none
   */
  readonly mark?: string
  /**
   * Returns the text of its button on the sign-in page. Default: `continueWith` and the name
   *
   * @param isOther Whether the email address is typed already, and another way is the main one of the page
   */
  readonly button?: (messages: Messages, isOther: boolean) => string
  /**
   * What the sign-in page asks for, by field name. `begin` receives the values in `fields`. A field `email` of the type `email`
   * says that this way begins with an email address: if several ways do, the page asks for it once, in a first step.
   */
  readonly fields?: Readonly<Record<string, Field>>
  /**
   * Whose its subjects are. Default: `account`
   *
   * - `account`: of accounts at the provider, such as a mailbox, which are linked to users.
   * - `user`: of the application's own users, as with `credentials`: of the user of the storage who has this id, or
   *   of a new one. Required of a provider of the type `credentials`.
   * - `factor`: of stored users, who sign in by a factor of the type {@link factorType}. It stores no accounts.
   *
   * The form of the last two proves the identity, without a redirect or a message: it can then be posted to
   * `/callback/:provider` too, as next-auth clients do, also by trusted origins.
   */
  readonly kind?: 'account' | 'user' | 'factor'
  /** Of the kind `factor`: the type of the factor, such as `password`. A user's last one is not removed. */
  readonly factorType?: string
  /** The checks that the provider makes. Without `state`, no state is sent or compared. */
  readonly checks?: readonly Check[]
  /**
   * Whether an unknown identity with the proven email address of a user is linked to that user.
   * Default: false
   */
  readonly linkByVerifiedEmail?: boolean
  /**
   * Whether the id of a new user is only the subject, as next-auth v4 has it without a database, and
   * not `<provider>:<subject>` or, with a storage, random. At most one provider may have this
   * option. No other provider may then have `userId` or the kind `user` or `factor`. The subjects of this provider must
   * not contain a colon, so that no id is the id of another provider's user. Default: false
   */
  readonly subjectAsUserId?: boolean
  /**
   * Returns the id that the user of an identity has today, from the application's own records; undefined
   * keeps the default. It decides whose account an identity is: both arguments are what the provider
   * says, so the answer must come from records about this subject at this provider. Default: none
   */
  readonly userId?: GetUserId
  /**
   * Of the kind `user`: whether a user whom the storage does not have is created. If false,
   * such a user signs in without a row. Default: true
   */
  readonly createsUsers?: boolean
  /** Whether it can prove that a signed-in user is present. Default: true */
  readonly canConfirm?: boolean
  /** Values of `authentication.provider.amr` that satisfy `secondFactor.require`. Default: none */
  readonly trustAmr?: readonly string[]
  /** Of an OpenID provider: what a logout needs. */
  readonly openid?: OpenIdClient
  /** What the storage must be capable of. `createAuth` refuses a storage that is not. */
  readonly needs?: readonly StorageGroup[]
  readonly outOfBand?: OutOfBand
  /**
   * Begins a sign-in.
   *
   * @throws AuthError
   */
  begin(start: BeginInput): Promise<BeginResult>
  /**
   * Fetches what `finish` needs before it sends anything of the callback, such as a discovery document. If
   * it throws, the callback is `Unavailable`, and its flow can be used again.
   */
  prepare?(runtime: ProviderRuntime): Promise<void>
  /**
   * Reads the `state` of a callback whose parameters are not plain, such as the parameters of a signed response. It
   * is not verified yet: it finds the flow, whose state must equal it, and nothing else of the
   * callback is read before. `finish` verifies it with the rest. Default: the parameter `state`
   */
  readState?(params: URLSearchParams): string | undefined
  /**
   * Proves the identity of a callback.
   *
   * @throws AuthError
   */
  finish(callback: CallbackInput): Promise<Identity>
  /**
   * Exchanges a refresh token for new tokens (RFC 6749 §6).
   *
   * @throws Error if the provider refuses or cannot be reached
   */
  refresh?(refreshToken: string, runtime: ProviderRuntime): Promise<Tokens>
}
