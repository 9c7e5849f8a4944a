import type { AllowRedirect } from '../http/return-url.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import type { Account, AccountInfo, Authentication, StoredUser, User } from '../ports/records.ts'
import type { SessionToken, UntypedToken } from '../session/session-claims.ts'

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

/** Decides whether an identity that proves an email address joins the one user who has it unverified. */
export type JoinsUnverified<Fields = unknown> = (found: {
  readonly user: StoredUser & Fields
  readonly accounts: readonly AccountInfo[]
}) => Awaitable<readonly AccountInfo[] | false>

/** The types of a session and its token, as events receive them. */
export interface SessionTypes {
  readonly session: unknown
  readonly token: SessionToken
}
