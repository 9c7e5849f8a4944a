import type { Awaitable } from '@latchkey/core/capability/options'
import type { Authentication, StoredUser, SessionToken } from '@latchkey/core'
import type { AnswerCache } from './answer-cache.ts'

/** A token for an API, as `POST /token` answers it. */
export interface IssuedToken {
  /** A JWT of the type `at+jwt` (RFC 9068). */
  readonly token: string
  /** When it expires: ISO 8601, UTC. */
  readonly expires: string
}

/** The public members of a key (RFC 7517 §4). */
export interface PublicTokenKey {
  readonly kty: string
  readonly crv?: string
  readonly x?: string
  readonly y?: string
  readonly n?: string
  readonly e?: string
  readonly kid: string
  readonly alg: string
  readonly use: 'sig'
}

/** The arguments of `tokens.claims`. */
export interface TokenClaimsInput {
  /** What the session carries. */
  readonly token: SessionToken
  /** The stored user, if it was loaded. */
  readonly user?: StoredUser | undefined
}

/** Issues tokens to the users of sessions. */
export interface TokenIssuer {
  /** The key set that `GET /jwks` answers. */
  readonly keySet: { readonly keys: readonly PublicTokenKey[] }
  /** Keeps for a minute what a session carries now; undefined if it has ended. */
  readonly getAnswer: AnswerCache<SessionToken | undefined>
  /**
   * Issues a token.
   *
   * @throws AuthError `Callback` if `claims` throws, or returns a registered claim
   */
  issue(request: TokenRequest): Promise<IssuedToken>
}

/** What a token is issued for. Times are seconds since 1970. */
export interface TokenRequest extends TokenClaimsInput {
  /** The URL of the service. */
  readonly issuer: string
  readonly now: number
  /** When the session ends: a token ends with it at the latest. */
  readonly sessionExpires: number
  /** The claims `auth_time` and `amr` (RFC 9068 §2.2.1), as far as it is known. */
  readonly authentication: Authentication | undefined
}

/** Returns claims of the application. */
export type TokenClaims = (input: TokenClaimsInput) => Awaitable<Readonly<Record<string, unknown>>>
