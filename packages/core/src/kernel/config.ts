import type { CookiesOptions } from '../http/cookie-names.ts'
import type { Timeouts } from '../http/outbound-fetch.ts'
import type { Callbacks, DefaultSession, JoinsUnverified, SessionTypes } from './callbacks.ts'
import type { Capability } from './context.ts'
import type { Events } from './events.ts'
import type { SessionOptions } from './session-options.ts'
import type { LimitsOptions } from '../limits/limits.ts'
import type { MetadataCache } from '../oauth/issuer-documents.ts'
import type { Outbox } from '../outbox/event-outbox.ts'
import type { PagesOptions } from '../pages/custom-pages.ts'
import type { MessagesOptions } from '../pages/messages.ts'
import type { Theme } from '../pages/theme.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Logger } from '../ports/logger.ts'
import type { Provider } from '../ports/provider.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { Storage } from '../ports/storage.ts'
import type { SessionToken, UntypedToken } from '../session/session-claims.ts'

/** What the compiler prints about an option of next-auth, and about an element of `use`. */
export interface RenamedOptions {
  /** Not an option: `storage` is. */
  readonly adapter?: 'write storage: authjsStorage(adapter), of @latchkey/storage-authjs'
  readonly confirmation?: 'write use: [confirmation()]'
  readonly secondFactor?: 'write use: [secondFactor({ methods })]'
  readonly account?: 'write use: [accountPages()]'
  readonly securityEmails?: 'write use: [securityEmails({ mailer, from })]'
  readonly tokens?: 'write use: [apiTokens({ audience, keys })]'
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
  /**
   * What the service can do besides. The order decides nothing:
   *
   * - `confirmation({ maxAge })` of `@latchkey/core/confirmation`: signed-in users prove again who they are. Linking then
   *   requires a recent proof. Stored sessions need a storage with the capability `sessionData`.
   * - `secondFactor({ methods })` of `@latchkey/second-factor`: users who have a second factor are asked for it. Needs a
   *   storage with the capabilities `factors` and `increment`.
   * - `accountPages()` of `@latchkey/account`: the page on which users change their account. Needs a storage
   *   with the capability `accountLists`.
   * - `securityEmails({ mailer, from })` of `@latchkey/account`: emails to users about changes that matter to
   *   their security. Needs `serviceUrl`, and a storage with the capabilities `sessionLists`, `increment` and `revocations`.
   * - `apiTokens({ audience, keys })` of `@latchkey/tokens`: tokens for APIs at `/token`, and their keys at `/jwks`.
   *
   * `secondFactor()`, `accountPages()` and `securityEmails()` need sessions that can be ended: stored or `revocable`.
   * Default: none
   */
  readonly use?: readonly Capability[]
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
  /** Listeners of what has happened, such as `signIn`. They change nothing. Default: none */
  readonly events?: Events<Emitted['session'], Emitted['token']>
  /**
   * Stores events in the step that they describe, and delivers each at least once:
   * `outbox({ deliver })` of `@latchkey/core/outbox`. Default: none
   */
  readonly outbox?: Outbox
  /** Pages of the application in place of the built-in ones. Default: none */
  readonly pages?: PagesOptions
  /** What `createTheme()` of `@latchkey/core/pages/theme` makes: colours, font, logo and marks of the built-in pages. Default: unbranded */
  readonly theme?: Theme
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
