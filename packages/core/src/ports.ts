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
}

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
  readonly effects: Effects
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
  /** What `begin` of this very flow put aside. */
  readonly keep: Keep
  readonly effects: Effects
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
  /** @throws AuthError */
  begin(start: BeginFlow): Promise<Begun>
  /** @throws AuthError */
  finish(back: Returned): Promise<Identity>
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
