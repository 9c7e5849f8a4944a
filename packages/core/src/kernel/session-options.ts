import type { CookieAccessTokens } from '../access-tokens/token-keeper.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import type { SessionToken } from '../session/session-claims.ts'
import type { SessionImporter } from '../session/session-imports.ts'

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
