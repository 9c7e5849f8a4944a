import type { CookieChange } from '../http/set-cookie.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import type { Clock } from '../ports/runtime.ts'
import type { Account, Tokens } from '../ports/records.ts'

/** What a session keeps of the account that it began through: never shown to a client or a callback. */
export interface SessionTokens extends Pick<Account, 'provider' | 'providerAccountId'> {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly expires_at?: number | undefined
}

/** Keeps the tokens of accounts in sessions, and in this process those that it has refreshed. */
export interface SessionTokenKeeper {
  /**
   * Returns what a session keeps of an account; undefined if the account has no access token.
   *
   * @throws AuthError `Configuration` if the tokens are too long for a cookie
   */
  pick(account: Account): SessionTokens | undefined
  /** Returns the newer tokens if this process knows that they replaced these tokens; else the same object. */
  getNewest(tokens: SessionTokens): Awaitable<SessionTokens>
  /** Refreshes the tokens of a session, once for all callers in this process that have the same. */
  refresh(tokens: SessionTokens, refreshment: Refreshment): Promise<SessionTokens>
}

/** The options of {@link SessionTokenKeeper.refresh}. Times are seconds since 1970. */
export interface Refreshment {
  readonly exchange: () => Promise<Tokens>
  readonly now: number
  /** When the session ends. */
  readonly expires: number
  /** Seconds that `exchange` takes at most. */
  readonly timeout: number
  readonly clock: Clock
}

/** The value of the option `session.accessTokens`. It brings its code along, so that others do not bundle it. */
export interface CookieAccessTokens {
  /** Creates what one service keeps. */
  readonly createKeeper: () => SessionTokenKeeper
}

/** Returns whether the application asked for the token of an account. */
export type IsWanted = (account: Pick<Account, 'provider' | 'providerAccountId'>) => boolean

/** The tokens of an account, and where they are kept. */
export interface HeldTokens {
  readonly tokens: LooseTokens
  readonly refresh: (refreshToken: string) => Promise<LooseTokens | undefined>
  readonly getCookies: () => Promise<readonly CookieChange[]>
}

/** The tokens of an account, each of which may be missing. */
export type LooseTokens = { readonly [Name in keyof Tokens]?: Tokens[Name] | undefined }
