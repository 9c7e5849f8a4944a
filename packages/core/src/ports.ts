/**
 * The ports: what the service asks of the world, and the records that pass through them. Nothing in
 * this file runs; whatever implements one of these interfaces can be handed to `createAuth`.
 */

/** What a browser or an application may learn of an error. The first fifteen are next-auth's names. */
export type ErrorCode =
  | 'Configuration'
  | 'AccessDenied'
  | 'Verification'
  | 'Default'
  | 'OAuthSignin'
  | 'OAuthCallback'
  | 'OAuthCreateAccount'
  | 'OAuthAccountNotLinked'
  | 'EmailSignin'
  | 'EmailCreateAccount'
  | 'CredentialsSignin'
  | 'Callback'
  | 'SessionRequired'
  | 'Csrf'
  | 'Cancelled'
  | 'RateLimited'
  | 'Unavailable'

/**
 * The platform, as far as the service touches it. Every member has the platform's own as its
 * default; tests and unusual hosts replace them.
 */
export interface Runtime {
  /** Sends one outbound request. Default: the global `fetch`. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** The time, in milliseconds since 1970-01-01T00:00:00Z. Default: `Date.now`. */
  readonly now: () => number
  /** `length` bytes from a cryptographic source. Default: `crypto.getRandomValues`. */
  readonly random: (length: number) => Uint8Array<ArrayBuffer>
}

/** What one request brings besides itself. Hosts that have nothing to say pass nothing. */
export interface RequestExtras {
  /** Keeps the host alive until the promise settles (Workers: `ctx.waitUntil`). Used for events. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
  /**
   * The address that the request came from, as the host knows it: what is limited per client is
   * counted by it (I-32). Only the host can say whether a header is to be believed.
   */
  readonly clientAddress?: () => string | undefined
}

/** What a provider may use while it works: the {@link Runtime} with the limits of I-26 around it. */
export interface Effects {
  /**
   * Sends a request under the limits of I-26: one deadline, at most 1 MiB of answer, no redirects,
   * https except on loopback.
   *
   * @throws Error where a limit is passed
   */
  readonly fetch: Runtime['fetch']
  readonly now: Runtime['now']
  readonly random: Runtime['random']
  /**
   * Waits for work that is no `fetch`, under the same deadline.
   *
   * @throws Error where the deadline passes first
   */
  readonly within: <T>(work: Promise<T>) => Promise<T>
}

/**
 * Single-use tokens (I-30). What is stored is an HMAC of the token with its purpose and the
 * identifier it was issued for: nothing that could be used.
 */
export interface OneTimeTokens {
  /**
   * Issues a token.
   *
   * @param identifier Whom it proves, e.g. an e-mail address
   * @param lifetime Seconds
   * @returns The token, 43 characters, and its id, which is what is stored
   */
  issue(
    purpose: Purpose,
    identifier: string,
    lifetime: number,
  ): Promise<{ readonly token: string; readonly id: string }>
  /** Uses a token up: true for exactly one caller, and only before it expires. */
  use(purpose: Purpose, identifier: string, token: string): Promise<boolean>
  /** The same, for who holds its id. */
  useById(identifier: string, id: string): Promise<boolean>
  /** Counts a key once more within the window (seconds). */
  count(key: string, window: number): Promise<Count>
  /** An HMAC of a text that is too short to be hashed bare. */
  sign(text: string): Promise<string>
  verify(text: string, mac: string): Promise<boolean>
}

/** What a flow is for: to sign in, or to link a further account to the session's user (I-39). */
export type Purpose = 'signIn' | 'link'

/** What `begin` puts aside for `finish`. It travels sealed in the browser's flow cookie (I-21). */
export type Keep = Readonly<Record<string, string>>

/** The start of one sign-in, as a {@link Provider} sees it. */
export interface BeginFlow {
  /** The value to send as `state`; absent where the provider's `checks` leave it out. */
  readonly state: string | undefined
  /** The absolute address of `/callback/:provider`. */
  readonly redirectUri: string
  /** Query parameters of the client's POST; a provider takes the few it names (I-22). */
  readonly params: ReadonlyMap<string, string>
  /** The fields of the client's POST, such as `email`. */
  readonly fields: ReadonlyMap<string, string>
  readonly purpose: Purpose
  /** Where the person goes after signing in: checked (I-41). */
  readonly callbackUrl: string
  readonly language: Language
  readonly effects: Effects
  /** Only where the storage can keep them: say so in `needs`. */
  readonly tokens: OneTimeTokens
  /**
   * Counts one sending to an address (I-32).
   *
   * @throws AuthError `RateLimited`
   */
  readonly limitSending: (address: string) => Promise<void>
}

/** Where a sign-in goes from here: away to another server, or to the person's mailbox. */
export type Begun =
  { readonly redirect: URL; readonly keep: Keep } | { readonly sent: true; readonly keep: Keep }

/** The return of one sign-in. Its `state` has been compared already (I-20). */
export interface Returned {
  /** The parameters of the return, from the query or the form. */
  readonly params: URLSearchParams
  readonly state: string | undefined
  readonly redirectUri: string
  /** What `begin` of this very flow put aside; nothing where an {@link OutOfBand} return comes in another browser. */
  readonly keep: Keep
  readonly purpose: Purpose
  readonly effects: Effects
  readonly tokens: OneTimeTokens
}

/**
 * What a provider adds whose return carries its own proof and comes from outside of the flow, as the
 * link in a mail does: perhaps in another browser than the one that began, perhaps opened by a
 * machine that looks for malware (I-31).
 */
export interface OutOfBand {
  /** Whether a return answers the flow that put `keep` aside in this browser. */
  recognises(keep: Keep, params: URLSearchParams): boolean
  /**
   * Whom a return in another browser would sign in, for the page that asks, and the fields that its
   * button posts; undefined where it is no return.
   */
  describe(
    params: URLSearchParams,
  ): { readonly whom: string; readonly fields: Readonly<Record<string, string>> } | undefined
  /** Whom the flow waits for, and whether they may type a code by hand. */
  waitsFor(keep: Keep): { readonly address: string; readonly code: boolean }
}

/** The tokens of an account, under the names of RFC 6749 §5.1; `expires_at` in seconds since 1970. */
export interface Tokens {
  readonly access_token?: string
  readonly refresh_token?: string
  readonly id_token?: string
  readonly token_type?: string
  readonly scope?: string
  readonly expires_at?: number
}

/**
 * What a provider says is to be shown of a person. Nothing of it is believed: each field is checked
 * and capped (I-40), and what is no text, or no http(s) address, is left out. Further fields come
 * along as they are.
 */
export interface Profile {
  readonly name?: unknown
  readonly email?: unknown
  /** Only the boolean `true` counts. */
  readonly emailVerified?: unknown
  readonly image?: unknown
  readonly [field: string]: unknown
}

/** Who came back, proven by the provider: (provider, subject) names a person, an address never does (I-38). */
export interface Identity {
  /** The provider's own, stable name of the person: 1 to 255 characters. */
  readonly subject: string
  readonly profile: Profile
  readonly tokens: Tokens
  /** Everything the provider said of the person, as it came. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** A check of one sign-in (I-19). */
export type Check = 'state' | 'pkce' | 'nonce'

/** A way of signing in. */
export interface Provider {
  /** Its path segment: `[a-z0-9-]+`. */
  readonly id: string
  /** Its name on the sign-in page. */
  readonly name: string
  readonly type: 'oidc' | 'oauth' | 'email' | (string & {})
  /** Which checks it makes. Where it names some without `state`, no state is sent or compared. */
  readonly checks?: readonly Check[]
  /**
   * Whether its word that an address is verified is trusted: then an unknown identity with the
   * verified address of a user is linked to that user (I-38). Default: false.
   */
  readonly linkByVerifiedEmail?: boolean
  /** What the storage must be capable of: `createAuth` refuses one that is not. */
  readonly needs?: readonly Capability[]
  readonly outOfBand?: OutOfBand
  /** @throws AuthError */
  begin(start: BeginFlow): Promise<Begun>
  /** @throws AuthError */
  finish(back: Returned): Promise<Identity>
  /**
   * Trades a refresh token for new tokens (RFC 6749 §6).
   *
   * @throws Error where the provider refuses or cannot be reached
   */
  refresh?(refreshToken: string, effects: Effects): Promise<Tokens>
}

/** A person who is signed in. */
export interface User {
  /** Without a storage `<provider>:<subject>`, which is unique across providers. */
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly image: string | null
  /** True where the provider vouches for the address. */
  readonly emailVerified: boolean
  /** What a provider's `profile()` added. */
  readonly [field: string]: unknown
}

/** One identity of a user at one provider, with the tokens it came with. */
export interface Account extends Tokens {
  readonly provider: string
  readonly type: string
  readonly providerAccountId: string
}

/** A person as a {@link Storage} keeps them. */
export interface StoredUser {
  readonly id: string
  readonly name: string | null
  /** At most one user has an address. Compared as it stands: core writes ASCII letters in lower case. */
  readonly email: string | null
  /** True where the address is proven: by a mail of ours, or by a provider trusted with it (I-38). */
  readonly emailVerified: boolean
  readonly image: string | null
}

/** A session as a {@link Storage} keeps it. Times are whole seconds since 1970. */
export interface StoredSession {
  /** The SHA-256 of the token in the browser's cookie, in base64url: 43 characters. Not a secret. */
  readonly id: string
  readonly userId: string
  readonly createdAt: number
  readonly renewedAt: number
  readonly expires: number
  /** What core keeps besides, as JSON text. */
  readonly data: string
}

/** A session that is about to begin, in place of another one of the same browser. */
export interface NewSession extends Omit<StoredSession, 'userId'> {
  /** The id of the session that ends with the same step. */
  readonly replaces?: string | undefined
}

/** A single-use token as a {@link Storage} keeps it: never the token itself. */
export interface VerificationToken {
  /** What the token is about: the e-mail address. */
  readonly identifier: string
  /** A hash of the token, in base64url. */
  readonly token: string
  /** Seconds since 1970. */
  readonly expires: number
}

/** How often a key has been counted in its present window. */
export interface Count {
  /** This time included: at least 1. */
  readonly count: number
  /** When the window ends, in seconds since 1970. */
  readonly resetsAt: number
}

/** A group of verbs that a {@link Storage} may do without. */
export type Capability =
  /** `createSession`, `getSessionAndUser`, `updateSession`, `deleteSession` */
  | 'sessions'
  /** Sessions keep `createdAt`, `renewedAt` and `data`, not only `id`, `userId` and `expires`. */
  | 'sessionData'
  /** `listSessions`, `deleteSessions` */
  | 'sessionLists'
  /** `listAccounts`, `unlinkAccount` */
  | 'accountLists'
  /** `updateAccount` */
  | 'accountUpdates'
  /** `createVerificationToken`, `useVerificationToken` */
  | 'verificationTokens'
  /** `increment` */
  | 'increment'

/**
 * Where users, their accounts, their sessions and single-use tokens are kept. Every verb is one
 * atomic step: it happens whole or not at all, and of two at once one is first. A verb that cannot
 * be carried out because the storage fails rejects; what is merely not there, or taken already, is
 * said in the result. `now` is in seconds since 1970.
 *
 * The contract that every implementation runs is `@latchkey/core/testing/storage-contract`.
 */
export interface Storage {
  /** What it can do; absent where it can do everything. `createAuth` refuses what needs more. */
  readonly capabilities?: readonly Capability[]

  /**
   * Keeps a user, with their first account and session where given.
   *
   * @returns The user as kept, whose id may be another one; undefined, and nothing kept, where the
   *   address or the account is taken
   */
  createUser(
    user: StoredUser,
    account?: Account,
    session?: NewSession,
  ): Promise<StoredUser | undefined>
  getUser(id: string): Promise<StoredUser | undefined>
  getUserByEmail(email: string): Promise<StoredUser | undefined>
  getUserByAccount(provider: string, providerAccountId: string): Promise<StoredUser | undefined>
  /**
   * Undefined, and nothing changed, where there is no such user or the address is another's. Whoever
   * changes an address says whether it is proven: otherwise `emailVerified` speaks of the former one.
   */
  updateUser(id: string, changes: Partial<Omit<StoredUser, 'id'>>): Promise<StoredUser | undefined>
  /** Deletes a user with all accounts and sessions. A second time is harmless. */
  deleteUser(id: string): Promise<void>

  /** False, and nothing changed, where the account is somebody's already or there is no such user. */
  linkAccount(userId: string, account: Account): Promise<boolean>
  /** A user's accounts, oldest first. */
  listAccounts(userId: string): Promise<readonly Account[]>
  /**
   * Writes tokens over those of an account; tokens that are not given stay as they are. But a new
   * `access_token` that comes without `expires_at` has none: the former one is forgotten.
   *
   * @param expected The refresh token that the account must still have, where given: false, and
   *   nothing changed, where it has another
   */
  updateAccount(
    provider: string,
    providerAccountId: string,
    tokens: Tokens,
    expected?: string,
  ): Promise<boolean>
  /** Removes an account of a user, but never the last one. */
  unlinkAccount(userId: string, provider: string, providerAccountId: string): Promise<boolean>

  /** False, and nothing changed, where there is no such user. */
  createSession(userId: string, session: NewSession): Promise<boolean>
  /** In one query: a session that has not expired, and whose it is. */
  getSessionAndUser(
    id: string,
    now: number,
  ): Promise<{ readonly session: StoredSession; readonly user: StoredUser } | undefined>
  /** False where the session has ended meanwhile: it stays so. */
  updateSession(
    id: string,
    changes: Pick<StoredSession, 'renewedAt' | 'expires' | 'data'>,
  ): Promise<boolean>
  /** A second time is harmless. */
  deleteSession(id: string): Promise<void>
  /** A user's sessions that have not expired, newest first. */
  listSessions(userId: string, now: number): Promise<readonly StoredSession[]>
  /** Ends all sessions of a user, but one where given. */
  deleteSessions(userId: string, except?: string): Promise<void>

  createVerificationToken(token: VerificationToken): Promise<void>
  /** Removes a token and gives it to exactly one caller; undefined where it has expired. */
  useVerificationToken(
    identifier: string,
    token: string,
    now: number,
  ): Promise<VerificationToken | undefined>

  /** Counts a key: from its first count on for `window` seconds, then from 1 again. */
  increment(key: string, window: number, now: number): Promise<Count>
}

/** The texts of the pages, of JSON refusals and of mails in one language. `{name}` stands for a value. */
export interface Messages {
  /** Right-to-left languages say `rtl`. */
  readonly direction: 'ltr' | 'rtl'
  readonly signIn: string
  readonly signInWith: string
  readonly signInTo: string
  readonly signOut: string
  readonly signOutQuestion: string
  readonly checkEmail: string
  readonly checkEmailText: string
  /** The label of the field for an e-mail address. */
  readonly email: string
  /** The label of the field for a six-digit code. */
  readonly code: string
  readonly wrongCode: string
  readonly confirm: string
  readonly confirmText: string
  readonly error: string
  readonly back: string
  readonly mail: MailMessages
  readonly errors: Readonly<Record<ErrorCode, string>>
}

/** The texts of a sign-in mail: `{name}` is the service's host, in `note` the number of minutes. */
export interface MailMessages {
  readonly subject: string
  readonly text: string
  /** Instead of the two, where the address is to be linked to an account. */
  readonly linkSubject: string
  readonly linkText: string
  readonly code: string
  readonly note: string
}

/** One language, ready for use. */
export interface Language {
  /** BCP 47, lower case: the page's `lang`. */
  readonly tag: string
  readonly messages: Messages
}

/** What a session of another service says of a person; `sub` is the user's id. */
export interface FormerToken {
  readonly sub: string
  readonly [claim: string]: unknown
}

/** A session that another service has left in a browser. */
export interface FormerSession {
  readonly token: FormerToken
  /** The names of the cookies that hold it. */
  readonly cookies: readonly string[]
  /** The domain that they were set with; undefined where they were set with none. */
  readonly domain?: string | undefined
}

/** What a reader of former sessions is given. */
export interface FormerBrowser {
  /** The cookies of the request, as they came. */
  readonly cookies: ReadonlyMap<string, string>
  /** Whether the service is at an https origin. */
  readonly secure: boolean
  /** Seconds since 1970. */
  readonly now: number
  readonly storage: Storage | undefined
}

/** Reads the sessions of another service, so that nobody is signed out by the switch to this one. */
export interface FormerSessions {
  /** The session in a browser's cookies; undefined where they hold none that is good. */
  read(browser: FormerBrowser): Promise<FormerSession | undefined>
}

/** An address of a mail, taken apart: never text to be parsed again (I-29). */
export interface MailAddress {
  /** `local@domain` */
  readonly address: string
  readonly name?: string | undefined
}

/** One mail. */
export interface Mail {
  readonly to: MailAddress
  readonly from: MailAddress
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Sends mails. `@latchkey/mail` has some. */
export interface Mailer {
  /**
   * Resolves when the mail has been taken over for delivery.
   *
   * @throws Error where it has not
   */
  send(mail: Mail): Promise<void>
}

/** How often something may happen. */
export interface Limit {
  readonly times: number
  /** Seconds. */
  readonly window: number
}

/** Counts what may happen only so often (I-32). */
export interface Limiter {
  /**
   * Counts a key once more.
   *
   * @returns 0 where that is within the limit, else the seconds until it is worth another try
   */
  take(key: string, limit: Limit, now: number): Promise<number>
}

/** One line for the logger: never with a token, a secret or a code in it. */
export interface LogDetails {
  /** Which error, where one of I-8 fits. */
  readonly error?: ErrorCode
  readonly provider?: string
  readonly method?: string
  readonly route?: string
  /** Name and message of the error and of its causes, outermost first. */
  readonly causes?: readonly string[]
  readonly [field: string]: unknown
}

/** Where the service writes what an operator should know. Default: `console`. */
export interface Logger {
  readonly error: (message: string, details: LogDetails) => unknown
  readonly warn: (message: string, details: LogDetails) => unknown
  readonly debug?: (message: string, details: LogDetails) => unknown
}
